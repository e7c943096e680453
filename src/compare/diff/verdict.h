/* SPDX-License-Identifier: MIT */
/*
 * verdict.h - the verdict on two samples of steps: slower, faster, same or inconclusive.
 *
 * slower and faster: the interval of the change excludes 0 and the change is at least
 * the threshold. same: the whole interval is inside the threshold, or the samples are
 * equal value by value. Anything else, and fewer than WL_ENOUGH_STEPS values on a side,
 * is inconclusive.
 */
#ifndef WL_COMPARE_VERDICT_H
#define WL_COMPARE_VERDICT_H

#include "compare/stats/bootstrap.h"

enum { WL_ENOUGH_STEPS = 8 };

enum wl_verdict {
	WL_SAME,
	WL_SLOWER,
	WL_FASTER,
	WL_INCONCLUSIVE,
	WL_TOTALS,       /* there are no steps to judge: windows were compared */
	WL_INCOMPARABLE, /* other work: nothing is judged */
};

const char *wl_verdict_name(enum wl_verdict verdict); /* "same", ... */

struct wl_judgement {
	int64_t before, after; /* medians; 0 where a side has no values */
	struct wl_range_of_change change;
	bool is_known; /* change is set: both sides have values */
	bool is_equal; /* the samples are equal value by value */
	enum wl_verdict verdict;
};

/* What medians and interval of a judgement say, however many values they come from. */
enum wl_verdict wl_verdict_of(const struct wl_judgement *j, double threshold);

/* threshold is a ratio of before, >= 0. False when the arena is exhausted. */
bool wl_judge(struct wl_sorted before, struct wl_sorted after, double threshold,
	      struct wl_arena *arena, struct wl_judgement *ret) WL_MUST_CHECK;

#endif
