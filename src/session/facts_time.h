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

/* How facts of several traces answer an analysis. */
enum wl_facts_way {
	WL_FACTS_NO_WAY, /* they do not */
	WL_FACTS_RUN,    /* it runs on what facts_job.h makes */
	WL_FACTS_FIND,   /* findings of each trace are kept (facts_findings.h) */
	WL_FACTS_FOLLOW, /* it opens some of the traces (facts_path.h) */
};

/*
 * Make an analysis run on what facts_job.h makes, of which it then sees all; one that does so
 * anyway, or does not run, stays as it is.
 */
enum wl_facts_way wl_facts_adapt(struct wl_analysis *analysis);

/* The way alone. */
enum wl_facts_way wl_facts_way_of(const struct wl_analysis *analysis);

#endif
