/* SPDX-License-Identifier: MIT */
/*
 * series.h - one value per step, reduced so that its median can be judged again.
 *
 * Up to WL_SERIES_KEPT values are kept whole; of more, order statistics at even
 * distances, both ends and the median among them. Kept with them is how many of the
 * values are worth counting: where a step's value depends on the one before, as with
 * clocks that drift, n steps carry less information than n independent ones. With the rank
 * correlation r of neighbours, and the 1/n by which it comes out too low, they are worth
 * n (1 - r) / (1 + r).
 */
#ifndef WL_COMPARE_SERIES_H
#define WL_COMPARE_SERIES_H

#include "compare/stats/bootstrap.h"

enum { WL_SERIES_KEPT = 33 };

struct wl_series {
	size_t n;          /* how many values there were; 0 for no series */
	size_t worth;      /* of that, 1 to n */
	size_t n_kept;     /* min(n, WL_SERIES_KEPT) */
	const int64_t *at; /* ascending */
};

/* Of n values in the order of steps. False when the arena is exhausted. O(n log n). */
bool wl_series_make(const int64_t *values, size_t n, struct wl_arena *arena,
		    struct wl_series *ret) WL_MUST_CHECK;

/* n values again: between two that were kept, a straight line. */
bool wl_series_expand(const struct wl_series *s, struct wl_arena *arena,
		      struct wl_sorted *ret) WL_MUST_CHECK;

/* All n values, sorted, and what they are worth. */
bool wl_sorted_make(const int64_t *values, size_t n, struct wl_arena *arena,
		    struct wl_sorted *ret) WL_MUST_CHECK;

#endif
