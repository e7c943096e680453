/* SPDX-License-Identifier: MIT */
/* diff_tables.h - a comparison as a document: one table per question. */
#ifndef WL_COMPARE_DIFF_TABLES_H
#define WL_COMPARE_DIFF_TABLES_H

#include "compare/diff/diff.h"
#include "compare/diff/diff_cols.h"

/* False where the comparison has nothing for it: ranks of one process, gates of none. */
bool wl_diff_has(const struct wl_diff *d, enum wl_diff_section section);

/*
 * Fill an empty table of the section's columns; the verdict gets the notes. Owned by the
 * table's arena; the caller checks the table.
 */
void wl_diff_fill(const struct wl_diff *d, enum wl_diff_section section, struct wl_table *out);

#endif
