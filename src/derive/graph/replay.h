/* SPDX-License-Identifier: MIT */
/*
 * replay.h - the times that the activities of a graph would have had with other lengths.
 *
 * An activity starts at the latest of its candidates' new times plus its lag, and ends after
 * its length; a member of a matched collective ends when the last member has arrived, plus
 * its own transfer. A call that blocks ends after the operation that held it up, plus the time
 * it took to return. Without changes every time is the measured one.
 */
#ifndef WL_DERIVE_REPLAY_H
#define WL_DERIVE_REPLAY_H

#include "derive/graph/graph.h"

/* What a scenario changes about one activity. */
struct wl_change {
	wl_ns length; /* of the activity itself */
	wl_ns gap;    /* of a call: the time since what it started after; of an operation unused */
};

/* NULL arrays change nothing. */
struct wl_scenario {
	const uint32_t *change_of; /* by activity: index of change; WL_NONE */
	const struct wl_change *change;
};

struct wl_replay {
	const wl_ns *start, *end; /* by activity; of calls inside another WL_NO_TIME */
	wl_ns makespan;           /* from the first start of an operation to the last end */
	size_t n_forced;          /* times kept because activities wait for each other in a circle
				     or in a chain of more than 64 at one moment */
};

/* Linear in activities and candidates. Owned by the arena; false when that is exhausted. */
bool wl_replay_run(const struct wl_graph *graph, const struct wl_scenario *scenario,
		   struct wl_arena *arena, struct wl_replay *ret) WL_MUST_CHECK;

/* Activities whose times differ from the measured ones: 0 proves the graph. Linear. */
size_t wl_replay_count_moved(const struct wl_graph *graph, const struct wl_replay *replay);

#endif
