/* SPDX-License-Identifier: MIT */
/* file_ranks.h - the ranks of each file of a job. */
#ifndef WL_ANALYSIS_FILE_RANKS_H
#define WL_ANALYSIS_FILE_RANKS_H

#include "analysis/analysis.h"

/* Ranks of a file's processes that use GPUs. */
struct wl_file_ranks {
	int64_t low, high, n;
};

/* By file of the trace; owned by the run's arena, NULL when it is exhausted. */
struct wl_file_ranks *wl_file_ranks_find(const struct wl_run *run) WL_MUST_CHECK;

/* "3" or "0-7"; puts nothing if a rank is unknown. */
void wl_file_ranks_put(const struct wl_file_ranks *of, struct wl_table *out, size_t col);

#endif
