/* SPDX-License-Identifier: MIT */
/*
 * change.h - whether a series of numbers changes over time, and how: a level, a drift, a ramp, an
 * episode.
 *
 * Level: the ranks of a stretch differ from those of the others by more than 1 of 200 random
 * orders does (change_limits.def), and the medians by 3 %. Each end of the stretch that is no end
 * of the series then moves by up to 3 to where the differences from the two medians are least.
 * Drift: |z| of Mann and Kendall is 2.81 or more, which 1 of 200 random orders has, and the line of
 * Theil and Sen rises or falls by 3% of the median. Where both hold, the one that is nearer to the
 * numbers. Ramp, in place of either: a level, a straight line of 4 numbers or more, and another
 * level, where that is nearer to the numbers by a quarter. Episode, where neither does: the numbers
 * that stand out as large are one run that 1 of 200 random orders has, of half of the series at
 * most.
 *
 * All is computed with integers, but for the statistic of ranks and z, which are compared with
 * limits of three digits: two computers never disagree.
 */
#ifndef WL_DERIVE_CHANGE_H
#define WL_DERIVE_CHANGE_H

#include "base/attr.h"
#include "base/memory/arena.h"
#include "derive/rows/scope.h"

enum wl_change_kind {
	WL_CHANGE_NONE,
	WL_CHANGE_LEVEL,   /* a stretch up to one end of the series */
	WL_CHANGE_EPISODE, /* a stretch between two others, or slow ones in one run, up to the end
			    */
	WL_CHANGE_WARM_UP, /* larger numbers from the begin on, of a quarter of the series at most
			    */
	WL_CHANGE_DRIFT,
	WL_CHANGE_RAMP, /* from one level to another, over some numbers */
};

/* "level", "episode", "warm-up", "drift", "ramp"; "none" else. */
const char *wl_change_kind_name(enum wl_change_kind kind);

enum {
	WL_CHANGE_FEWEST = 16, /* numbers: of fewer nothing is said */
	WL_CHANGE_MOST = 64,   /* of more the caller takes medians of blocks */
};

struct wl_series_change {
	enum wl_change_kind kind;
	size_t begin, end; /* the stretch; of a drift all; of a ramp what is between the levels */
	/* Medians in the stretch and outside it; of a drift the end and the begin of its line; of a
	 * ramp the level behind it and the one before it. */
	wl_ns inside, outside;
	wl_ns median; /* of all */
	double z;     /* of Mann and Kendall */
	double ranks; /* the largest difference of ranks of a stretch */
};

/*
 * Of n numbers, none below 0. More than WL_CHANGE_MOST, fewer than WL_CHANGE_FEWEST, and numbers
 * from 2^46 on have no change. Cubic in n. False when the arena is exhausted.
 */
bool wl_change_find(const wl_ns *value, size_t n, struct wl_arena *arena,
		    struct wl_series_change *ret) WL_MUST_CHECK;

/* The median; of an even number the mean of the two in the middle, rounded down. Sorts them. */
wl_ns wl_middle(wl_ns *at, size_t n);

#endif
