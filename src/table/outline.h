/* SPDX-License-Identifier: MIT */
/*
 * outline.h - the rows of a tree as people read it: each row before its children, and
 * these before its next sibling.
 *
 * Nothing here recurses or climbs a path for each row, because a hostile trace makes
 * trees of any depth. Both functions are linear in the rows of the table.
 */
#ifndef WL_TABLE_OUTLINE_H
#define WL_TABLE_OUTLINE_H

#include <stddef.h>
#include <stdint.h>

#include "base/attr.h"
#include "base/err.h"
#include "table/table.h"

/* Some rows of a tree. */
struct wl_outline {
	uint32_t *rows; /* numbers in the table, with room for all of them */
	size_t n;
	uint32_t *levels; /* how many ancestors each has, once they are arranged */
};

/* Add the ancestors of the rows. The row numbers ascend before and after. */
int wl_outline_add_ancestors(const struct wl_table *t, struct wl_outline *o, struct wl_arena *arena,
			     struct wl_err *reterr) WL_MUST_CHECK;

/*
 * Bring the rows, among them the parent of each, into the order of reading; siblings
 * keep the order that they have. Among the children of one parent, and among the roots, only
 * the first limit stay, with what is below them; 0 keeps all.
 */
int wl_outline_arrange(const struct wl_table *t, size_t limit, struct wl_outline *o,
		       struct wl_arena *arena, struct wl_err *reterr) WL_MUST_CHECK;

#endif
