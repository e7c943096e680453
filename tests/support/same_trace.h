/* SPDX-License-Identifier: MIT */
/* same_trace.h - two traces compared byte for byte. */
#ifndef WL_TESTS_SAME_TRACE_H
#define WL_TESTS_SAME_TRACE_H

#include "model/trace.h"

/* NULL, or the first thing in which they differ: a column, a family or a catalogue. */
const char *trace_difference(const struct wl_trace *a, const struct wl_trace *b);

#endif
