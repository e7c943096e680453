/* SPDX-License-Identifier: MIT */
/*
 * bootstrap.h - bootstrap intervals of a median and of the difference of two.
 *
 * Values are drawn again from each sample, with replacement and from a fixed seed, and
 * the interval holds the middle 95% of the medians, or of their differences, that come
 * out. Equal samples give the same interval on every machine. The draws are
 * independent: where steps depend on the steps before them, the truth is wider.
 */
#ifndef WL_COMPARE_BOOTSTRAP_H
#define WL_COMPARE_BOOTSTRAP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/attr.h"
#include "base/memory/arena.h"

enum { WL_RESAMPLES = 2000 };

/* Values of magnitudes below 2^62, ascending. */
struct wl_sorted {
	const int64_t *at;
	size_t n;
	size_t draws; /* of a resample, 1 to n: fewer than n where values depend on each other */
};

struct wl_range_of_change {
	int64_t low, high; /* both are possible */
};

/* The nearest-rank median: one of the values. There must be one. */
int64_t wl_sorted_median(struct wl_sorted s);

/*
 * The interval of the median of after minus that of before, or of the median of after
 * itself where before has no values. after has some. Linear in values times
 * WL_RESAMPLES. The arena is for scratch; false when it is exhausted.
 */
bool wl_bootstrap(struct wl_sorted before, struct wl_sorted after, struct wl_arena *arena,
		  struct wl_range_of_change *ret) WL_MUST_CHECK;

#endif
