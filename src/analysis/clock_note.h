/* SPDX-License-Identifier: MIT */
/* clock_note.h - the note on how well the clocks of a job's hosts agree. */
#ifndef WL_ANALYSIS_CLOCK_NOTE_H
#define WL_ANALYSIS_CLOCK_NOTE_H

#include "analysis/analysis.h"

/* The command that shows the clocks. */
extern const struct wl_cmdline wl_clocks_shown;

/*
 * Note that the clocks of hosts contradict each other, or that nothing but UTC aligns some of them.
 * Notes nothing for a trace of one host, or if all clocks are fitted.
 */
void wl_clock_note(const struct wl_trace *trace, struct wl_table *out);

#endif
