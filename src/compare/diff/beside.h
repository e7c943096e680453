/* SPDX-License-Identifier: MIT */
/*
 * beside.h - two tables of one analysis joined row by row.
 *
 * Rows match where all key columns are equal; of several with the same keys the first
 * with the first. In a tree their parents must match as well (beside_tree.h), and the result is a
 * tree. Columns of numbers become three: before, after and the change. Text
 * that is no key, points in time and identifiers are left out: they belong to one run.
 */
#ifndef WL_COMPARE_BESIDE_H
#define WL_COMPARE_BESIDE_H

#include "base/attr.h"
#include "base/err.h"
#include "table/table.h"

/*
 * Fill *out, a table that this call makes, with columns of its own. Rows of after come in
 * its order, then those that only before has. WL_E_NOMEM when the arena is exhausted. Both tables
 * must have the same columns and outlive *out. O(n log n).
 */
int wl_tables_beside(const struct wl_table *before, const struct wl_table *after,
		     struct wl_arena *arena, struct wl_table *out,
		     struct wl_err *reterr) WL_MUST_CHECK;

#endif
