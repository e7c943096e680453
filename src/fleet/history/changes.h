/* SPDX-License-Identifier: MIT */
/*
 * changes.h - changes of step time over the runs of one configuration.
 *
 * The unit is a run: its value is the median over steps of the longest period of any rank, and
 * noise is how much these values differ between runs. Steps of one run do not show that noise: they
 * share a node, a clock and a day.
 */
#ifndef WL_FLEET_CHANGES_H
#define WL_FLEET_CHANGES_H

#include "compare/diff/verdict.h"

enum {
	WL_HIST_BASELINE = 10, /* runs that a verdict compares with */
	WL_HIST_ENOUGH = 5,    /* fewer than that before a run or a change: insufficient */
	WL_HIST_CONFIRMED = 3, /* runs from a change on: the first and two further ones */
	WL_HIST_WINDOW = 256,  /* runs that are looked at for a change */
};

struct wl_hist_opts {
	size_t baseline;  /* runs; 0: WL_HIST_BASELINE */
	double threshold; /* ratio of the median before; smaller ones do not count */
};

/* Two groups of runs next to each other, and the verdict on the second. */
struct wl_hist_verdict {
	size_t from, at, end; /* runs [from, at) are before, [at, end) after */
	bool is_sufficient;   /* enough runs before; otherwise the rest is 0 */
	int64_t noise;        /* standard deviation of run values within the groups */
	double chance;        /* that noise alone makes the means differ that much */
	struct wl_judgement judged;
};

struct wl_hist_change {
	struct wl_hist_verdict verdict; /* slower or faster; at is the first run of the change */
	size_t confirmed;               /* the run with which it was first certain */
};

struct wl_hist_changes {
	struct wl_hist_change *change; /* by run */
	size_t n;
};

/* "slower", "faster", "same", "inconclusive" or "insufficient" */
const char *wl_hist_verdict_name(const struct wl_hist_verdict *v);

/*
 * Runs [from, at) against runs [at, end), which must not be empty, of those the last and first
 * opts->baseline. The interval is a bootstrap over runs whose residuals are pooled over both sides:
 * a single run has the noise of the runs before it. slower and faster also need chance to be at
 * most 0.5 %. False when the arena is exhausted.
 */
bool wl_hist_judge(const int64_t *value, size_t from, size_t at, size_t end,
		   const struct wl_hist_opts *opts, struct wl_arena *arena,
		   struct wl_hist_verdict *ret) WL_MUST_CHECK;

/*
 * All changes among n runs in the order of time. For each run in turn, the runs since the last
 * change (at most WL_HIST_WINDOW) are split where the likelihood ratio of two means against one is
 * largest, with at least WL_HIST_ENOUGH runs before and WL_HIST_CONFIRMED from there on. It is a
 * change if noise makes one among all splits with a chance of at most 0.1%, and if the verdict on
 * the runs around it is slower or faster. Later runs may move it. O(n * WL_HIST_WINDOW). Values are
 * magnitudes below 2^53. False when the arena is exhausted.
 */
bool wl_hist_find(const int64_t *value, size_t n, const struct wl_hist_opts *opts,
		  struct wl_arena *arena, struct wl_hist_changes *ret) WL_MUST_CHECK;

#endif
