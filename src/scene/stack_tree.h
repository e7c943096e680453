/* SPDX-License-Identifier: MIT */
/*
 * stack_tree.h - the call stacks of host threads as a bounded tree, for flame graphs.
 *
 * Time is that of the verb stacks (docs/definitions/stacks.md).
 */
#ifndef WL_SCENE_STACK_TREE_H
#define WL_SCENE_STACK_TREE_H

#include "derive/use/stack_sums.h"
#include "session/open/session.h"

struct wl_stack_node {
	uint32_t parent; /* index of nodes, below its own; WL_NONE for an outermost function */
	const char *function, *module; /* module is "" where time has no stack */
	wl_ns total, self;
};

struct wl_stack_tree {
	const struct wl_stack_node *node;
	size_t n;
	size_t n_all; /* with those that are left out */
	wl_ns total;  /* all time counted; that of nodes left out is in their parents' total only */
};

/*
 * Ask for the tree of what the request selects, with at most so many nodes, the largest. Names are
 * those of the trace or of the arena. WL_E_NODATA where the trace has no stacks; what
 * wl_session_run() returns.
 */
int wl_stack_tree_find(struct wl_session *session, const struct wl_request *request,
		       const struct wl_stack_choice *choice, size_t max, struct wl_arena *arena,
		       struct wl_stack_tree *ret, struct wl_err *reterr) WL_MUST_CHECK;

#endif
