/* SPDX-License-Identifier: MIT */
/* foreign_note.h - the note of answers with idle time: counters contradict it. */
#ifndef WL_ANALYSIS_FOREIGN_NOTE_H
#define WL_ANALYSIS_FOREIGN_NOTE_H

#include "analysis/analysis.h"

/* Say on which GPU something else works in time that counts as idle; nothing without counters. */
void wl_foreign_note(const struct wl_run *run, struct wl_table *out);

#endif
