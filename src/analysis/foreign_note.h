/* SPDX-License-Identifier: MIT */
/* foreign_note.h - the note that counters contradict the idle time of an answer. */
#ifndef WL_ANALYSIS_FOREIGN_NOTE_H
#define WL_ANALYSIS_FOREIGN_NOTE_H

#include "analysis/analysis.h"

/* Note GPUs on which something else ran during time that counts as idle; notes nothing without
 * counters. */
void wl_foreign_note(const struct wl_run *run, struct wl_table *out);

#endif
