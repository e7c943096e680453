/* SPDX-License-Identifier: MIT */
/*
 * beside_tree.h - the nodes of two trees of rows, joined by their paths.
 *
 * Rows match where their keys are equal and their parents match; of siblings with the same keys the
 * first with the first, and the others with none.
 */
#ifndef WL_COMPARE_BESIDE_TREE_H
#define WL_COMPARE_BESIDE_TREE_H

#include <stdbool.h>

#include "base/attr.h"
#include "base/memory/arena.h"
#include "base/memory/intern.h"
#include "table/table.h"

struct wl_beside_node {
	uint32_t before, after; /* rows; WL_NONE where a side does not have it */
	uint32_t parent;        /* in the same list, before its children; WL_NONE for a root */
};

/* A tree, and by row a number that rows of both sides share where their keys are equal. */
struct wl_beside_side {
	const struct wl_table *table;
	const uint32_t *key;
};

/*
 * All nodes, depth first: those of after in its order, then those that only before has. The list
 * is the arena's. False without memory. Linear.
 */
bool wl_trees_beside(const struct wl_beside_side *before, const struct wl_beside_side *after,
		     struct wl_arena *arena, struct wl_beside_node **ret,
		     size_t *ret_n) WL_MUST_CHECK;

#endif
