/* SPDX-License-Identifier: MIT */
/*
 * facts_time.h - where the time of ranks went, of facts of several traces: overlap, iters, nccl.
 *
 * Steps, idle time, arrivals and exposed stretches are there; kernels and copies are not. What
 * these are needed for is left empty, and a note says so.
 */
#ifndef WL_SESSION_FACTS_TIME_H
#define WL_SESSION_FACTS_TIME_H

#include "analysis/analysis.h"

/*
 * Make an analysis run on what facts_job.h makes, of which it then sees all; one that does so
 * anyway stays as it is. False where it cannot.
 */
bool wl_facts_adapt(struct wl_analysis *analysis);

#endif
