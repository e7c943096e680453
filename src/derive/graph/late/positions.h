/* SPDX-License-Identifier: MIT */
/*
 * positions.h - matches activities of different members that do the same work, by their position in
 * a sequence of operations or calls.
 *
 * The key of an operation is its step (step_lists.h), the role of its stream (class, and order
 * among the member's streams of that class) and its name; the key of a call is its step, its thread
 * (numbered by first call) and its name. Activities with one key are numbered by start: the k-th
 * activities of two members with equal keys are counterparts.
 */
#ifndef WL_DERIVE_POSITIONS_H
#define WL_DERIVE_POSITIONS_H

#include "derive/comm/match/matches.h"
#include "derive/graph/build/graph.h"

struct wl_derived;
struct wl_late_suspects;
struct wl_step_bounds;

/* The input for comparing members; given has the graph, classes, iterations and matches. */
struct wl_compared_by {
	const struct wl_derived *given;
	const struct wl_graph *graph;
	const struct wl_step_bounds *bounds;
	const struct wl_late_suspects *cells; /* says which members have steps, and how many */
};

enum { WL_MOST_COMPARED = 16 }; /* number of members; more would hardly change their median */

/* The activities of one member by key. */
struct wl_positions_of {
	const uint32_t *first;    /* by key, with an end entry */
	const uint32_t *activity; /* by key, then start */
};

struct wl_positions {
	const uint32_t *step; /* by key; WL_NONE outside of steps */
	size_t n_keys;
	const struct wl_positions_of *of; /* by member; NULL arrays for members not requested */
};

/* The members to compare, by their numbers in matches.h. */
struct wl_peers {
	const uint32_t *member;
	size_t n;
};

/*
 * Covers the members' operations that do not communicate, and the outermost calls of their
 * processes. Linear in the members' activities, with logarithmic time in steps for each. The arena
 * owns the result; false when it is exhausted.
 */
bool wl_op_positions(const struct wl_compared_by *by, const struct wl_peers *who,
		     struct wl_arena *arena, struct wl_positions *ret) WL_MUST_CHECK;
bool wl_call_positions(const struct wl_compared_by *by, const struct wl_peers *who,
		       struct wl_arena *arena, struct wl_positions *ret) WL_MUST_CHECK;

/* The k-th activity of a member with a key; WL_NONE if it has fewer. */
static inline uint32_t wl_position_at(const struct wl_positions *p, size_t member, size_t key,
				      size_t k)
{
	const struct wl_positions_of *of = &p->of[member];

	return of->first[key] + k < of->first[key + 1] ? of->activity[of->first[key] + k] : WL_NONE;
}

#endif
