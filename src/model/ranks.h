/* SPDX-License-Identifier: MIT */
/* ranks.h - the rank of a file's process according to its metadata. */
#ifndef WL_MODEL_RANKS_H
#define WL_MODEL_RANKS_H

#include "model/trace.h"

/*
 * Take the rank from one metadata row if it is an environment variable that holds a rank; the first
 * value of each variable counts. Initialise rank[] to -1 for each source.
 */
void wl_ranks_see(const char *name, const char *value, int64_t rank[WL_N_RANK_SOURCES]);

/*
 * How many ranks of a job have no file, from the job's size if recorded, else from gaps in the rank
 * numbers; 0 if none is missing or the trace is not a job.
 */
int64_t wl_ranks_missing(const struct wl_trace *trace);

/* True for a job of several files that do not record the number of ranks: there may be ranks
 * without a file. */
bool wl_ranks_may_be_missing(const struct wl_trace *trace);

#endif
