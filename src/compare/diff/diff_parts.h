/* SPDX-License-Identifier: MIT */
/* diff_parts.h - declarations that the sources of diff.h share. */
#ifndef WL_COMPARE_DIFF_PARTS_H
#define WL_COMPARE_DIFF_PARTS_H

#include <stdlib.h>

#include "compare/diff/diff.h"

/* diff_gates.c: judge all gates; pairs and extent are there. */
int wl_diff_gates(struct wl_diff *d, const struct wl_diff_opts *opts, struct wl_arena *arena,
		  struct wl_err *reterr) WL_MUST_CHECK;

/*
 * Orders times of both sides for qsort: the largest change first, then what takes longest after;
 * 0 where both are equal.
 */
static inline int wl_compare_changes(const wl_ns a[WL_N_SIDES], const wl_ns b[WL_N_SIDES])
{
	wl_ns change_a = llabs(a[WL_AFTER] - a[WL_BEFORE]);
	wl_ns change_b = llabs(b[WL_AFTER] - b[WL_BEFORE]);

	if (change_a != change_b)
		return change_a < change_b ? 1 : -1;
	return (a[WL_AFTER] < b[WL_AFTER]) - (a[WL_AFTER] > b[WL_AFTER]);
}

/* diff_waits.c: join idle times by cause and detail; parts are there. False without memory. */
bool wl_diff_waits(struct wl_diff *d, struct wl_arena *arena) WL_MUST_CHECK;

/* diff_functions.c: join idle times by function. False without memory. */
bool wl_diff_functions(struct wl_diff *d, struct wl_arena *arena) WL_MUST_CHECK;

/*
 * What copies within the GPU changed, where that explains the change of compute: it is at least
 * half as large, in that direction, and no kernel that computes changed more; else 0.
 */
wl_ns wl_diff_copies_in_compute(const struct wl_diff *d, wl_ns compute);

#endif
