/* SPDX-License-Identifier: MIT */
/* gap_stacks.h - the function in which the launching thread spent most of a gap. */
#ifndef WL_DERIVE_GAP_STACKS_H
#define WL_DERIVE_GAP_STACKS_H

#include "derive/use/stack_sums.h"

/* Handles gaps one after another, on one thread. */
struct wl_gap_stacks {
	const struct wl_trace *trace;
	const struct wl_thread_stacks *stacks; /* NULL: not wanted */
	struct wl_function_tally tally;
};

/*
 * Without names (NULL) no gap has a function. Release it even after a failure. False when the arena
 * is exhausted.
 */
bool wl_gap_stacks_init(struct wl_gap_stacks *g, const struct wl_trace *trace,
			const struct wl_thread_stacks *stacks, const struct wl_stack_names *names,
			struct wl_arena *arena) WL_MUST_CHECK;
void wl_gap_stacks_release(struct wl_gap_stacks *g);

/* Add a part of a gap, if it is in the account (WL_STACK_CAUSES) and as far as it is in the
 * window. */
void wl_gap_stacks_add(struct wl_gap_stacks *g, const struct wl_gap *gap,
		       const struct wl_gap_part *part, struct wl_interval window);

/* The top function over all parts of one gap. tally.added.failed is set if out of memory. */
struct wl_top_function wl_gap_stacks_top(struct wl_gap_stacks *g, const struct wl_gap *gap,
					 struct wl_interval window);

#endif
