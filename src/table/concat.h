/* SPDX-License-Identifier: MIT */
/*
 * concat.h - concatenates the tables that several traces gave to one question.
 *
 * A column "trace" before the others tells the rows apart. No analysis may have a
 * column of that key.
 */
#ifndef WL_TABLE_CONCAT_H
#define WL_TABLE_CONCAT_H

#include "table/table.h"

/* What one trace has to say. The label names it in the rows and in front of its notes. */
struct wl_concat_part {
	const char *label;
	const struct wl_table *table; /* NULL where the trace has no data for the question, and */
	const char *missing;          /* why, which becomes a note */
};

/*
 * Make *out a table of the rows of all parts, in their order. At least one part has
 * a table, all tables have the same columns, and at most WL_MAX_COLS - 1. A column is
 * hidden where all tables hide it. Coverage of one name is added up; where it is below
 * 100%, a note names the part with the lowest. Commands in notes of several parts become of any
 * trace. A note of several parts is one note with
 * their names, and a note of all has none.
 *
 * Cells are copied, their strings and the labels borrowed: they must outlive *out.
 * An arena that is exhausted leaves a table that is not wl_table_ok().
 */
void wl_concat(const struct wl_concat_part *parts, size_t n_parts, struct wl_arena *arena,
	       struct wl_table *out);

#endif
