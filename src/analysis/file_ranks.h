/* SPDX-License-Identifier: MIT */
/* file_ranks.h - the ranks of each file of a job. */
#ifndef WL_ANALYSIS_FILE_RANKS_H
#define WL_ANALYSIS_FILE_RANKS_H

#include "analysis/analysis.h"

/* Of the processes of a file that are on GPUs. */
struct wl_file_ranks {
	int64_t low, high, n;
};

/* By file of the trace; owned by the arena of the run, NULL when that is exhausted. */
struct wl_file_ranks *wl_file_ranks_find(const struct wl_run *run) WL_MUST_CHECK;

/* "3", or "0-7"; nothing where a rank is not known. */
void wl_file_ranks_put(const struct wl_file_ranks *of, struct wl_table *out, size_t col);

#endif
