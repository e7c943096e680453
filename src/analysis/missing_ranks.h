/* SPDX-License-Identifier: MIT */
/* missing_ranks.h - the note about ranks of a job that have no file. */
#ifndef WL_ANALYSIS_MISSING_RANKS_H
#define WL_ANALYSIS_MISSING_RANKS_H

#include "analysis/analysis.h"

/*
 * Note which ranks are missing, judging by the size of the job if recorded, else by gaps in the
 * rank numbers. Notes nothing if none is missing or the trace is not a job.
 */
void wl_missing_ranks_note(const struct wl_trace *trace, struct wl_table *out);

#endif
