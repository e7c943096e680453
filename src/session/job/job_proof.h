/* SPDX-License-Identifier: MIT */
/* job_proof.h - whether the rows of a job's files agree that they are of one job. */
#ifndef WL_SESSION_JOB_PROOF_H
#define WL_SESSION_JOB_PROOF_H

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

#endif
