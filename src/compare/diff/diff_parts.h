/* SPDX-License-Identifier: MIT */
/* diff_parts.h - declarations that the sources of diff.h share. */
#ifndef WL_COMPARE_DIFF_PARTS_H
#define WL_COMPARE_DIFF_PARTS_H

#include "compare/diff/diff.h"

/* diff_gates.c: judge all gates; pairs and extent are there. */
int wl_diff_gates(struct wl_diff *d, const struct wl_diff_opts *opts, struct wl_arena *arena,
		  struct wl_err *reterr) WL_MUST_CHECK;

/* diff_nearest.c: the steps are judged. */
struct wl_diff_nearest wl_diff_find_nearest(const struct wl_diff *d);

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
