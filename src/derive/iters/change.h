/* SPDX-License-Identifier: MIT */
/*
 * change.h - detects whether and how a series of numbers changes over time: level, drift, ramp or
 * episode.
 *
 * Level: the ranks of a stretch differ from those of the rest by more than in 1 of 200 random
 * orders (change_limits.def), and the medians differ by 3 %. Each end of the stretch that is not an
 * end of the series then moves by up to 3 places to where the differences from the two medians are
 * least. Drift: the Mann-Kendall |z| is at least 2.81, as in 1 of 200 random orders, and the
 * Theil-Sen line rises or falls by 3% of the median. If both hold, the one that fits the numbers
 * better is taken. Ramp, in place of either: a level, a straight line of at least 4 numbers and
 * another level, if that fits the numbers better by a quarter. Episode, if neither holds: the
 * numbers that stand out as large form one run, as in 1 of 200 random orders, of at most half of
 * the series.
 *
 * All arithmetic is in integers, except the rank statistic and z, which are compared with limits of
 * three digits: results are the same on all machines.
 */
#ifndef WL_DERIVE_CHANGE_H
#define WL_DERIVE_CHANGE_H

#include "base/attr.h"
#include "base/memory/arena.h"
#include "derive/rows/scope.h"

enum wl_change_kind {
	WL_CHANGE_NONE,
	WL_CHANGE_LEVEL,   /* a stretch up to one end of the series */
	WL_CHANGE_EPISODE, /* a stretch between two others, or one run of slow values up to the end
			    */
	WL_CHANGE_WARM_UP, /* larger numbers at the beginning, at most a quarter of the series */
	WL_CHANGE_DRIFT,
	WL_CHANGE_RAMP, /* a gradual change from one level to another */
};

/* "level", "episode", "warm-up", "drift", "ramp"; "none" otherwise. */
const char *wl_change_kind_name(enum wl_change_kind kind);

enum {
	WL_CHANGE_FEWEST = 16, /* fewest numbers for which an answer is given */
	WL_CHANGE_MOST = 64,   /* for more numbers, the caller takes medians of blocks */
};

struct wl_series_change {
	enum wl_change_kind kind;
	size_t begin, end; /* the stretch; for a drift, everything; for a ramp, the part between its
			      levels */
	/* Medians inside and outside the stretch; for a drift, the end and the start of its line;
	 * for a ramp, the level after it and the level before it. */
	wl_ns inside, outside;
	wl_ns median; /* of all */
	double z;     /* Mann-Kendall statistic */
	double ranks; /* the largest difference of ranks of a stretch */
};

/*
 * Takes n numbers, none below 0. No change is found in more than WL_CHANGE_MOST or fewer than
 * WL_CHANGE_FEWEST numbers, or with numbers from 2^46 up. Cubic in n. False when the arena is
 * exhausted.
 */
bool wl_change_find(const wl_ns *value, size_t n, struct wl_arena *arena,
		    struct wl_series_change *ret) WL_MUST_CHECK;

/* The median; for an even n, the mean of the two middle values, rounded down. Sorts the values. */
wl_ns wl_middle(wl_ns *at, size_t n);

#endif
