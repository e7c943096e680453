/* SPDX-License-Identifier: MIT */
/*
 * match.h - matches rows of two sides: kernels, ranges, categories.
 *
 * Rows match by their names. Kernels that are left match by base name, in the order in
 * which a step has them; then by place: those that follow the same matched kernel, as
 * many rows behind it, with as many calls per step. Both are called renamed. A wrapper
 * (known/kernels/wrappers.h), whose base name says nothing, only matches a kernel with the same
 * functor or of the same category.
 *
 * Where a side has others, a row of the opposite side that is no longer than the
 * shortest one kept may be among them: it is counted with the others there as well.
 */
#ifndef WL_COMPARE_MATCH_H
#define WL_COMPARE_MATCH_H

#include "compare/fingerprint/fingerprint.h"

enum wl_row_state {
	WL_ROW_SAME,
	WL_ROW_SLOWER,
	WL_ROW_FASTER,
	WL_ROW_NEW,
	WL_ROW_REMOVED,
	WL_ROW_RENAMED,
};

const char *wl_row_state_name(enum wl_row_state state); /* "same", ... */

/* One side of a pair; zeroes and an empty series where the side has no such row. */
struct wl_pair_side {
	const struct wl_fp_row *row; /* NULL: none, or others */
	struct wl_amount total;      /* sums of the extent */
	wl_ns gpu_total;
	double calls; /* per step */
	wl_ns ns;     /* per step, rounded so that the column adds up */
	wl_ns gpu;    /* per step */
};

struct wl_pair {
	const char *name; /* of after, if it is there */
	struct wl_pair_side before, after;
	/* change = count_effect + duration_effect, exactly; see wl_row_pairs_make(). */
	wl_ns change, count_effect, duration_effect;
	enum wl_row_state state;
	bool is_others;
};

struct wl_row_pairs {
	const struct wl_pair *pair; /* the largest change first, others last */
	size_t n;
	/* The share of the time per step in pairs that have both, on the side where it is less;
	 * 1 if there are no rows. */
	double matched;
};

struct wl_pairing {
	const struct wl_fp_list *before, *after;
	enum wl_extent extent;
	int64_t by_before, by_after; /* divisors, > 0 */
	bool rename;                 /* match kernels by base name and place, too */
	double threshold;            /* changes of a row below it count as same */
};

/*
 * count_effect is the change of calls times the old mean duration, rounded; a row of
 * one side only is all of it. Quadratic in the rows of a fingerprint, which are few.
 * Owned by the arena; false when that is exhausted.
 */
bool wl_row_pairs_make(const struct wl_pairing *how, struct wl_arena *arena,
		       struct wl_row_pairs *ret) WL_MUST_CHECK;

#endif
