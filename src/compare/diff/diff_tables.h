/* SPDX-License-Identifier: MIT */
/* diff_tables.h - a comparison as a document: one table per question. */
#ifndef WL_COMPARE_DIFF_TABLES_H
#define WL_COMPARE_DIFF_TABLES_H

#include "compare/diff/diff.h"
#include "table/document.h"

enum wl_diff_section {
	WL_DIFF_VERDICT,
	WL_DIFF_BUDGET,
	WL_DIFF_KERNELS,
	WL_DIFF_RANGES,
	WL_DIFF_IDLE,
	WL_DIFF_CATEGORIES,
	WL_DIFF_RANKS,
	WL_DIFF_GATES,
	WL_N_DIFF_SECTIONS
};

/* By enum wl_diff_section, and an end with name NULL. */
extern const struct wl_table_info wl_diff_tables[];

/* The section of this name, or WL_N_DIFF_SECTIONS. */
enum wl_diff_section wl_diff_section_find(const char *name);

/* False where the comparison has nothing for it: ranks of one process, gates of none. */
bool wl_diff_has(const struct wl_diff *d, enum wl_diff_section section);

/*
 * Fill an empty table of the section's columns; the verdict gets the notes. Owned by the
 * table's arena; the caller checks the table.
 */
void wl_diff_fill(const struct wl_diff *d, enum wl_diff_section section, struct wl_table *out);

#endif
