/* SPDX-License-Identifier: MIT */
/* collectives.h - which operations of GPUs are members of one collective, by operation. */
#ifndef WL_SCENE_COLLECTIVES_H
#define WL_SCENE_COLLECTIVES_H

#include "scene/scene.h"

struct wl_matches;
struct wl_derived;

struct wl_scene_collectives {
	const struct wl_matches *matches; /* the session's; NULL: not looked for */
	/* Of matched operations of GPUs: their refs, ascending, and which operation of the queues
	 */
	const uint32_t *ref, *op;
	size_t n;
	/* By match: where its members begin in by_match, which has indexes of op; one more at the
	 * end */
	const uint32_t *first, *by_match;
	const uint32_t
		*ranks; /* by set: ranks of the communicator where that is recorded, else members */
};

/* Needs matches and payloads. False when the arena is exhausted. Sorts what is matched. */
bool wl_scene_collectives_find(const struct wl_derived *derived, struct wl_arena *arena,
			       struct wl_scene_collectives *ret) WL_MUST_CHECK;

/*
 * The operation of the queues that a ref of an operation is; NULL for one that is not matched, and
 * of NULL. Logarithmic.
 */
const struct wl_comm_op *wl_collective_op(const struct wl_scene_collectives *c, uint32_t ref);

/* What all collectives of a set share. */
struct wl_collective_kind {
	const char *title;         /* "AllReduce" */
	size_t n_members, n_ranks; /* ranks of the communicator, members where it is not recorded */
	bool no_clock;             /* arrivals cannot be compared */
	double volume, bus;        /* algbw is message times volume by time, busbw that times bus */
};

struct wl_collective_kind wl_collective_kind_of(const struct wl_scene_collectives *c, size_t set);

#endif
