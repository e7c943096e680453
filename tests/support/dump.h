/* SPDX-License-Identifier: MIT */
/*
 * dump.h - a trace as text, without the numbers it happens to give things.
 *
 * Two traces that say the same have the same text, in whatever order their
 * columns were loaded: places, threads and names are written out.
 */
#ifndef WL_TESTS_DUMP_H
#define WL_TESTS_DUMP_H

#include "model/trace.h"

/* Everything but the list of tables and columns, and the path. Free it; NULL without memory. */
char *dump_trace(const struct wl_trace *trace);

#endif
