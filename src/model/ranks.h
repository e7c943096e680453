/* SPDX-License-Identifier: MIT */
/* ranks.h - what a file says of the rank of its process, besides its rows. */
#ifndef WL_MODEL_RANKS_H
#define WL_MODEL_RANKS_H

#include "model/trace.h"

/*
 * Take the rank from one row of the metadata, where that is an environment variable for ranks;
 * the first of each variable counts. rank[] begins with -1 for each source.
 */
void wl_ranks_see(const char *name, const char *value, int64_t rank[WL_N_RANK_SOURCES]);

/*
 * How many ranks of a job have no file, by its size where that is recorded, else by gaps in the
 * numbers; 0 where none is missing, or where the trace is no job.
 */
int64_t wl_ranks_missing(const struct wl_trace *trace);

/* It is a job of several files that do not say how many ranks it has: any may have no file. */
bool wl_ranks_may_be_missing(const struct wl_trace *trace);

#endif
