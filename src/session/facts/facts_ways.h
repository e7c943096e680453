/* SPDX-License-Identifier: MIT */
/* facts_ways.h - how facts of several traces answer an analysis. */
#ifndef WL_SESSION_FACTS_WAYS_H
#define WL_SESSION_FACTS_WAYS_H

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
