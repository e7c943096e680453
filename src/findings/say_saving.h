/* SPDX-License-Identifier: MIT */
/* say_saving.h - what fixing a finding saves, in words. */
#ifndef WL_FINDINGS_SAY_SAVING_H
#define WL_FINDINGS_SAY_SAVING_H

#include "findings/rule_state.h"

/* What a replay says besides. */
struct wl_said_saving {
	bool is_replayed;
	bool is_held; /* calls that are held keep their time (derive/graph/scenario/scenario.h) */
	const char *next; /* what has most of the critical path then; NULL for nothing */
	bool is_rigid;    /* that is latency: no finding and no option of a program is about it */
	double next_share;
	bool of_steps; /* it counts in these only */
	uint32_t first, last;
};

/*
 * "fixing this saves 360.7 ms of 2.813 s (12.8% of the run, \u00b1 0.4 ms, replayed)", from the
 * number of the finding. Without an error it says that replays are not validated; where it claims
 * much more, what becomes critical. Of an error as large as the saving: "no measurable saving
 * (replayed: 8 ms, \u00b1 29 ms)".
 * A number that leaves out what lies outside of the steps names them: "saves at most 160.2 ms in
 * steps 1-25". Its saving alone is given where it claims too little to be listed, and beside the
 * number where findings before it save 1% of the run of that; where the number is 1% of the run
 * above the claim, what the claim is; where its bound is more than ten times the claim,
 * that it is no estimate.
 * In parts: "fixing this ", what it saves, of what, how that is known, and what then. No part when
 * the arena of the run is exhausted.
 */
struct wl_parts wl_say_saving(struct wl_rule_state *d, const struct wl_finding *finding,
			      const struct wl_said_saving *said);

#endif
