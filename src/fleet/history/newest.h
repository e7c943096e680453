/* SPDX-License-Identifier: MIT */
/*
 * newest.h - the verdict on the newest run of a series, and the changes that are open.
 *
 * A run is compared with runs of the level that counts: those since the last change that is
 * accepted. A change to faster is accepted by itself; one to slower stays open until someone
 * acknowledges it or later runs are back at the level before, and meanwhile its runs are no
 * baseline. docs/definitions/compare.md has the numbers.
 */
#ifndef WL_FLEET_NEWEST_H
#define WL_FLEET_NEWEST_H

#include "fleet/history/changes.h"

/* Runs of one series in the order of time. */
struct wl_hist_runs {
	const int64_t *value;
	const bool *is_acked; /* someone accepts the level from this run on; NULL for none */
	size_t n;
};

enum wl_hist_state {
	WL_HIST_OPEN,  /* slower, and not acknowledged */
	WL_HIST_ACKED, /* slower, and acknowledged */
	WL_HIST_OVER,  /* slower, and later runs are back; or faster */
};

const char *wl_hist_state_name(enum wl_hist_state state); /* "open", ... */

struct wl_hist_newest {
	/* Groups are numbered in run: the baseline in the order of time, and the newest run. */
	struct wl_hist_verdict verdict;
	size_t *run;                    /* their numbers in the series */
	struct wl_hist_changes changes; /* of all runs */
	enum wl_hist_state *state;      /* of each of them */
	size_t open; /* the first open change that the newest run belongs to; changes.n for none */
	bool is_acked; /* the newest run is the first of a level that was accepted */
};

/*
 * n > 0. The verdict is slower whenever a change is open and the newest run is nearer to the level
 * after it than to that before it. Without five runs since the last accepted change, runs before
 * it stand in for the noise, moved to the new level. False when the arena is exhausted.
 */
bool wl_hist_newest(const struct wl_hist_runs *runs, const struct wl_hist_opts *opts,
		    struct wl_arena *arena, struct wl_hist_newest *ret) WL_MUST_CHECK;

/* "slower", "faster", "same", "inconclusive", "insufficient" or "acknowledged" */
const char *wl_hist_newest_name(const struct wl_hist_newest *newest);

/* What a gate says of it: 0 passed, 1 slower, 4 not certain. */
int wl_hist_newest_status(const struct wl_hist_newest *newest);

#endif
