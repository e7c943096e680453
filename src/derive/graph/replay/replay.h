/* SPDX-License-Identifier: MIT */
/*
 * replay.h - computes the times that the activities of a graph would have with other lengths.
 *
 * An activity starts at the latest of its candidates' new times plus its lag, and ends after its
 * length; a member of a matched collective ends when the last member has arrived, plus its own
 * transfer. A call that blocks ends after the operation that held it up, plus the time it took to
 * return. Without changes, every time equals the measured one.
 */
#ifndef WL_DERIVE_REPLAY_H
#define WL_DERIVE_REPLAY_H

#include "derive/graph/replay/replay_plan.h"
#include "derive/rows/scope.h"

/* The changes that a scenario makes to one activity. */
struct wl_change {
	wl_ns length; /* length of the activity itself */
	wl_ns gap; /* for a call: the time since the end of what it follows; unused for an operation
		    */
};

/* NULL arrays change nothing. */
struct wl_scenario {
	const uint32_t *change_of; /* by activity: index into change; WL_NONE */
	const struct wl_change *change;
};

struct wl_replay {
	const wl_ns *start, *end; /* by activity; WL_NO_TIME for calls inside another call */
	wl_ns makespan;           /* from the first start to the last end of all operations */
	size_t n_forced;          /* as in replay_plan.h */
};

/* Linear in activities and candidates. The arena owns the result; false when it is exhausted. */
bool wl_replay_run(const struct wl_graph *graph, const struct wl_scenario *scenario,
		   struct wl_arena *arena, struct wl_replay *ret) WL_MUST_CHECK;

/* The same, with an existing plan. */
bool wl_replay_on(const struct wl_replay_plan *plan, const struct wl_scenario *scenario,
		  struct wl_arena *arena, struct wl_replay *ret) WL_MUST_CHECK;

/* Number of activities whose times differ from the measured ones; 0 proves the graph. Linear. */
size_t wl_replay_count_moved(const struct wl_graph *graph, const struct wl_replay *replay);

/* The changes for a replay, by position of a plan. NULL arrays change nothing. */
struct wl_changes {
	wl_ns *gap;       /* added to the host gap before a call, or to the lag of an operation */
	uint8_t *sent;    /* nonzero if its launch reaches the GPU at once */
	wl_ns *length;    /* added to the length, the transfer or the return */
	uint8_t *drop;    /* by candidate: nonzero to leave it out */
	uint32_t *after;  /* number of a time that is an additional candidate; 0 for none */
	uint8_t *lone;    /* nonzero if its end waits for no operation */
	bool no_wait;     /* members leave without waiting for the others */
	bool holds_begin; /* starts before begin stay, and no start moves before it */
	wl_ns begin;
};

/*
 * The measured slack of such a time; 0 if it was after what released the position, which it then
 * releases no later than measured. The position must be WL_PLAN_ORDERED.
 */
wl_ns wl_slack_after(const struct wl_replay_plan *plan, uint32_t position, uint32_t number);

/* The replayed positions, in order; all others keep their measured times. */
struct wl_window_plan {
	const uint32_t *at; /* NULL for all */
	uint32_t n;
	const uint32_t *late; /* their late ends; NULL for all */
	size_t n_late;
};

/* Shifts by number (replay_plan.h), reused by one replay after another. Zero outside the window. */
struct wl_shifts {
	wl_ns *at;      /* 2 (n + 1) of them */
	wl_ns *arrived; /* by slot: the latest new arrival up to it, relative to the first measured
			   one */
	uint32_t *n_there; /* by meeting: number of slots whose arrival is known */
};

/* The arena owns the result; false when it is exhausted. */
bool wl_shifts_make(const struct wl_replay_plan *plan, struct wl_arena *arena,
		    struct wl_shifts *ret) WL_MUST_CHECK;

/*
 * Select the activities that start in the interval of their process, in the order of the plan; an
 * empty interval selects none. Sorts their positions and scans late ends until all of theirs are
 * found. The arena owns the result; false when it is exhausted.
 */
bool wl_window_plan_make(const struct wl_replay_plan *plan, const struct wl_interval *by_process,
			 struct wl_arena *arena, struct wl_window_plan *ret) WL_MUST_CHECK;

/* The same for n activities; duplicates count once. */
bool wl_window_plan_of(const struct wl_replay_plan *plan, const uint32_t *activity, size_t n,
		       struct wl_arena *arena, struct wl_window_plan *ret) WL_MUST_CHECK;

/* Compute the shifts of a window. It is a simple loop that allocates nothing. */
void wl_shifts_run(const struct wl_replay_plan *plan, const struct wl_window_plan *window,
		   const struct wl_changes *changes, struct wl_shifts *shifts);

/* Set the shifts of a window back to 0. */
void wl_shifts_clear(const struct wl_replay_plan *plan, const struct wl_window_plan *window,
		     struct wl_shifts *shifts);

#endif
