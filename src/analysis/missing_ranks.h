/* SPDX-License-Identifier: MIT */
/* missing_ranks.h - the ranks of a job that have no file. */
#ifndef WL_ANALYSIS_MISSING_RANKS_H
#define WL_ANALYSIS_MISSING_RANKS_H

#include "analysis/analysis.h"

/*
 * Note which ranks are missing, by the size of the job where it is recorded, else by gaps in the
 * numbers. Nothing where none is, or where the trace is no job.
 */
void wl_missing_ranks_note(const struct wl_trace *trace, struct wl_table *out);

#endif
