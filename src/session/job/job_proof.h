/* SPDX-License-Identifier: MIT */
/* job_proof.h - whether the rows of a job's files agree that they are of one job. */
#ifndef WL_SESSION_JOB_PROOF_H
#define WL_SESSION_JOB_PROOF_H

#include "base/attr.h"
#include "base/memory/budget.h"
#include "model/trace.h"

/* The columns that it looks at. */
extern const enum wl_column_id wl_job_proof_columns[]; /* WL_N_COLUMNS ends */

/*
 * Why the processes on GPUs do not prove to be of one job, one clause for people; NULL: each ran
 * the same collectives in the same order, but for what a capture that began later or ended earlier
 * misses, and none is a copy of another. Linear in kernels.
 */
const char *wl_job_doubt(const struct wl_trace *trace, struct wl_budget *budget);

/* Whether part occurs in whole. fail has room for part. */
bool wl_job_has_sequence(const uint8_t *whole, size_t n_whole, const uint8_t *part, size_t n_part,
			 size_t *fail) WL_MUST_CHECK;

#endif
