/* SPDX-License-Identifier: MIT */
/* say_saving.h - what fixing a finding saves, in words. */
#ifndef WL_FINDINGS_SAY_SAVING_H
#define WL_FINDINGS_SAY_SAVING_H

#include "findings/docket.h"

struct wl_said_saving {
	wl_ns saving;
	wl_ns error; /* -1 for none */
	wl_ns whole; /* step or window */
	wl_ns bound; /* of the ledger; of what is replayed */
	wl_ns alone; /* what the scenario saves, where that is more than the bound; else 0 */
	bool is_replayed;
	bool least, most;    /* the saving is a lower, an upper bound; upper if not replayed */
	bool is_held;        /* calls that are held keep their time (derive/graph/scenario.h) */
	const char *why_not; /* it is not replayed; NULL for no reason */
	const char *next;    /* what has most of the critical path then; NULL for nothing */
	double next_share;
};

/*
 * "fixing this saves 6.80 ms of 53.37 ms (\u00b1 0.02 ms, replayed)". Without an error it
 * says that replays are not validated; below a tenth of the bound, what becomes critical; above
 * it, what the replay saves in all where that is more than the error and 5 % of it. A lower or an
 * upper bound is said alone, with the error taken off or added. An error as large as the saving
 * says that it may save nothing. NULL when the arena of the run is exhausted.
 */
const char *wl_say_saving(struct wl_docket *docket, const struct wl_said_saving *saving);

#endif
