/* SPDX-License-Identifier: MIT */
/* diff_words.h - a comparison in sentences. */
#ifndef WL_COMPARE_DIFF_WORDS_H
#define WL_COMPARE_DIFF_WORDS_H

#include "compare/diff/diff.h"
#include "table/table.h"

enum { WL_WORDS = 640 }; /* bytes that hold whatever these write */
enum { WL_NAME = 41 };   /* of it, a name */

/* All return buf. Names in them come from the trace and may hold anything. */

/*
 * "slower by 3.3 ms (5.1%)", with which the next begins; "slower by 3.3 ms (5.1%): median step 65.1
 * ms -> 68.4 ms"; "95% interval ..., 18 and 8 steps", and which ones, or "" where there are no
 * steps; and the last two as one.
 */
const char *wl_diff_lead(const struct wl_diff *d, char buf[WL_WORDS]);
const char *wl_diff_verdict(const struct wl_diff *d, char buf[WL_WORDS]);
const char *wl_diff_sample(const struct wl_diff *d, char buf[WL_WORDS]);
const char *wl_diff_line(const struct wl_diff *d, char buf[WL_WORDS]);

/*
 * The part or rank, and the kernel that moved most, and both as one; "" where nothing did, or
 * nothing is to explain.
 */
const char *wl_diff_cause(const struct wl_diff *d, char buf[WL_WORDS]);
const char *wl_diff_kernel(const struct wl_diff *d, char buf[WL_WORDS]);
const char *wl_diff_why(const struct wl_diff *d, char buf[WL_WORDS]);

/*
 * "Largest increase of host code while GPUs are idle: read +1.2 ms"; "" where no function explains
 * a tenth of the change beyond chance, or stacks are missing.
 */
const char *wl_diff_function(const struct wl_diff *d, char buf[WL_WORDS]);

/*
 * "Compute per step: GPU 2 +6.91 ms (15.0%), the other 3 GPUs within 12 us"; "" for fewer than
 * two ranks.
 */
const char *wl_diff_ranks(const struct wl_diff *d, char buf[WL_WORDS]);

/*
 * "What-if: the median step of the second trace takes 46.6 ms with no-straggler (replayed), 20 us
 * more than that of the first"; "" where no side is slower, or nothing was replayed.
 */
const char *wl_diff_whatif(const struct wl_diff *d, char buf[WL_WORDS]);

/* How sides that are not comparable differ: "4 and 8 GPUs, 55.5% same kernels". */
const char *wl_diff_difference(const struct wl_diff *d, char buf[WL_WORDS]);

/* What a gate found: "step 65.1 ms -> 68.4 ms (5.1% more), allowed +1.3 ms, 95% interval ...". */
const char *wl_gate_words(const struct wl_diff *d, const struct wl_gated *g, char buf[WL_WORDS]);

/* Of a gate that passed: "step>2% (measured -0.3%, allowed +2%)". */
const char *wl_gate_margin(const struct wl_gated *g, char buf[WL_WORDS]);

/*
 * What makes the sides hard to compare, how they were made, and what the interval leaves out, as
 * notes of a table.
 */
void wl_diff_notes(const struct wl_diff *d, struct wl_table *out);

#endif
