/* SPDX-License-Identifier: MIT */
/* facts_proof.h - whether facts of several traces agree that these are of one job. */
#ifndef WL_SESSION_FACTS_PROOF_H
#define WL_SESSION_FACTS_PROOF_H

#include "session/facts/facts_trace.h"

/*
 * Why they do not prove to be of one job, one clause for people, as job/job_proof.h has it of
 * traces; NULL: all name it, or their captures overlap and each process ran the same collectives in
 * the same order; and no process and no trace comes twice. n_files: of how many files they are.
 * O(n log n) of arrivals.
 */
const char *wl_facts_job_doubt(const struct wl_facts_trace *facts, size_t n_files) WL_MUST_CHECK;

#endif
