/* SPDX-License-Identifier: MIT */
/*
 * replay_plan.h - the order in which the times of an activity graph can be computed, with their
 * dependencies; made once and shared by all replays.
 *
 * A position is the place of an activity in that order; position 0 stands for everything that keeps
 * its measured time. A replay computes shifts: the differences between times and their measured
 * values. The start of an activity shifts by the largest, over its candidates, of the candidate's
 * shift minus its slack (how long before the last candidate it was done). Shifts of position p are
 * numbered 2p (start) and 2p + 1 (end).
 *
 * Most ends shift like their start, plus the change of the length. Ends of members of a meeting,
 * and of calls that wait for an operation or for room in the launch queue, are late: they have a
 * separate entry.
 *
 * Calls A and B of a thread launch kernels K and L of one stream:
 *
 *     thread   |-A-|     |-B-|              position p   1 (A)   2 (K)   3 (B)   4 (L)   (5)
 *     stream        |--K--|    |---L---|    first[p]     0       0       1       2       4
 *
 *     candidate   from        slack
 *         0       2 = 2*1     0      K starts after the start of A, its launch
 *         1       3 = 2*1+1   0      B starts after the end of A, before it on the thread
 *         2       5 = 2*2+1   s      L starts after the end of K, before it on the stream ...
 *         3       6 = 2*3     0      ... and after the start of B, its launch, for which it waited
 *
 * The candidates of p are first[p] to first[p + 1] - 1; A has none and keeps its start. s is how
 * long the stream had been free when L's launch could reach the GPU. If K takes d longer, shift 5
 * is d and shift 8, the start of L, is the larger of d - s and shift 6, which is 0.
 *
 * A plan takes 17 bytes per activity, 8 per candidate and 24 per late end.
 */
#ifndef WL_DERIVE_REPLAY_PLAN_H
#define WL_DERIVE_REPLAY_PLAN_H

#include "derive/graph/build/graph.h"

/* Properties of a position. */
enum wl_plan_flags {
	WL_PLAN_CALL = 1 << 0,
	WL_PLAN_LATE = 1 << 1,     /* its end has an entry in wl_plan.late */
	WL_PLAN_LAUNCHED = 1 << 2, /* the last of its candidates is its launch */
	WL_PLAN_ORDERED =
		1 << 3, /* the first of its candidates is the previous operation of its stream */
};

enum wl_late_end {
	WL_END_MEETS, /* a member leaves when the last member has arrived */
	WL_END_BINDS, /* a call returns after the operation that ended inside it, or after the start
			 of the operation that made room for its launch */
	WL_END_FOLLOWS /* a call whose operation had ended before it began */
};

struct wl_late_end_of {
	uint32_t before; /* positions below this one come first */
	uint32_t at;     /* position */
	uint32_t from; /* shift of the operation's end or start; for a member, its slot in the graph
			*/
	uint32_t kind; /* enum wl_late_end */
	wl_ns after; /* MEETS: from its own arrival to the last one; BINDS: length of the call less
			its own part; FOLLOWS: from the return to the end of the call */
};

struct wl_replay_plan {
	const struct wl_graph *graph;
	uint32_t n;               /* positions 1 to n */
	const uint32_t *activity; /* by position */
	const uint32_t *at;       /* by activity; 0 for calls inside another */
	const uint8_t *flags;     /* by position */
	const uint32_t *latency;  /* by position: latency of a launch after the start of its call */
	const uint32_t *first;    /* by position, with an end entry: its candidates */
	const uint32_t *from;     /* by candidate: number of the shift */
	const uint32_t *slack;    /* by candidate; WL_LONG if in the side table */
	const uint32_t *long_at;  /* candidates with a longer slack, ascending */
	const wl_ns *long_slack;
	size_t n_candidates, n_long;
	const struct wl_late_end_of *late; /* in the order of before */
	size_t n_late;
	size_t n_forced; /* times kept because activities wait for each other in a cycle, or in a
			    chain of more than 64 at the same time */
};

/*
 * Needs the graph. Linear in activities and candidates. The arena owns the result; false when it is
 * exhausted.
 */
bool wl_replay_plan_find(const struct wl_derived *given, struct wl_arena *arena,
			 struct wl_replay_plan *ret) WL_MUST_CHECK;

/* The same for a graph that is not derived. */
bool wl_replay_plan_make(const struct wl_graph *graph, struct wl_arena *arena,
			 struct wl_replay_plan *ret) WL_MUST_CHECK;

/* The host gap: the time since the end of what a call follows; 0 if it follows nothing. */
wl_ns wl_graph_gap(const struct wl_graph *graph, uint32_t call);

/* False for members of a meeting and for calls held up by an operation or a full queue. */
bool wl_graph_is_own_length(const struct wl_graph *graph, uint32_t activity);

/*
 * The part of an activity's length that is its own: the transfer for a member of a meeting; the
 * time to return for a call held up by an operation; the same, but at most the usual length, for a
 * call held up by a full queue; the whole length for all others.
 */
wl_ns wl_graph_own_length(const struct wl_graph *graph, uint32_t activity);

/* The slack of a candidate in the side table. Logarithmic in the size of that table. */
wl_ns wl_replay_plan_long_slack(const struct wl_replay_plan *plan, uint32_t candidate);

static inline wl_ns wl_replay_plan_slack(const struct wl_replay_plan *plan, uint32_t candidate)
{
	uint32_t slack = plan->slack[candidate];

	return slack == WL_LONG ? wl_replay_plan_long_slack(plan, candidate) : (wl_ns)slack;
}

#endif
