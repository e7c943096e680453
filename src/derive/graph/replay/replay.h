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

#include "derive/graph/replay/replay_plan.h"
#include "derive/rows/scope.h"

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
	size_t n_forced;          /* as in replay_plan.h */
};

/* Linear in activities and candidates. Owned by the arena; false when that is exhausted. */
bool wl_replay_run(const struct wl_graph *graph, const struct wl_scenario *scenario,
		   struct wl_arena *arena, struct wl_replay *ret) WL_MUST_CHECK;

/* The same with a plan that was made before. */
bool wl_replay_on(const struct wl_replay_plan *plan, const struct wl_scenario *scenario,
		  struct wl_arena *arena, struct wl_replay *ret) WL_MUST_CHECK;

/* Activities whose times differ from the measured ones: 0 proves the graph. Linear. */
size_t wl_replay_count_moved(const struct wl_graph *graph, const struct wl_replay *replay);

/* What a replay changes, by position of a plan. NULL arrays change nothing. */
struct wl_changes {
	wl_ns *gap;       /* to add to the host gap before a call, or to the lag of an operation */
	uint8_t *sent;    /* not 0: its launch reaches the GPU at once */
	wl_ns *length;    /* to add to the length, the transfer or the return */
	uint8_t *drop;    /* by candidate: not 0 to leave it out */
	uint32_t *after;  /* number of a time that is a candidate, too; 0 for none */
	uint8_t *lone;    /* not 0: its end waits for no operation */
	bool no_wait;     /* members leave without the others */
	bool holds_begin; /* starts before begin stay, and none moves there */
	wl_ns begin;
};

/*
 * The slack of such a time, as measured; 0 where it was after what released the position, so that
 * it releases that no later than measured. The position is WL_PLAN_ORDERED.
 */
wl_ns wl_slack_after(const struct wl_replay_plan *plan, uint32_t position, uint32_t number);

/* The positions that are replayed, in order; the others keep their measured times. */
struct wl_window_plan {
	const uint32_t *at; /* NULL: all */
	uint32_t n;
	const uint32_t *late; /* their late ends; NULL: all */
	size_t n_late;
};

/* Shifts by number (replay_plan.h), of one replay after another. Zeroed outside of the window. */
struct wl_shifts {
	wl_ns *at;         /* 2 (n + 1) of them */
	wl_ns *arrived;    /* by slot: the latest new arrival up to it, since the first one as
			      measured */
	uint32_t *n_there; /* by meeting: slots that have that */
};

/* Owned by the arena; false when that is exhausted. */
bool wl_shifts_make(const struct wl_replay_plan *plan, struct wl_arena *arena,
		    struct wl_shifts *ret) WL_MUST_CHECK;

/*
 * The activities that start in the interval of their process, in the order of the plan; an
 * empty interval has none. Sorts their positions, and looks at late ends until it has all of
 * theirs. Owned by the arena; false when that is exhausted.
 */
bool wl_window_plan_make(const struct wl_replay_plan *plan, const struct wl_interval *by_process,
			 struct wl_arena *arena, struct wl_window_plan *ret) WL_MUST_CHECK;

/* The same of n activities; of one that is named twice once. */
bool wl_window_plan_of(const struct wl_replay_plan *plan, const uint32_t *activity, size_t n,
		       struct wl_arena *arena, struct wl_window_plan *ret) WL_MUST_CHECK;

/* Compute the shifts of a window. A straight loop; nothing is allocated. */
void wl_shifts_run(const struct wl_replay_plan *plan, const struct wl_window_plan *window,
		   const struct wl_changes *changes, struct wl_shifts *shifts);

/* Set the shifts of a window back to 0. */
void wl_shifts_clear(const struct wl_replay_plan *plan, const struct wl_window_plan *window,
		     struct wl_shifts *shifts);

#endif
