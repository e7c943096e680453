/* SPDX-License-Identifier: MIT */
/*
 * view.h - the rows and columns of a finished table that are shown, in their order.
 *
 * The steps come in the order where, sort, limit, columns. Shares and other
 * derived cells are not recomputed.
 *
 * In a tree a row that passes the filter keeps its ancestors, siblings are sorted
 * within their parent, and the limit counts the children of each parent, and the
 * roots. The rows come depth first: each before its children.
 *
 * Of a table of several traces (concat.h) the limit counts rows, or roots, of each trace.
 */
#ifndef WL_TABLE_VIEW_H
#define WL_TABLE_VIEW_H

#include <stddef.h>
#include <stdint.h>

#include "base/attr.h"
#include "base/err.h"
#include "table/table.h"

/* What the user asked for; a zeroed struct shows everything as the analysis ordered it. */
struct wl_view_opts {
	const char *where; /* expression of filter.h, or NULL */
	const char *sort;  /* "a,-b": numbers descend, text ascends, - reverses, keys break ties; or
			      NULL */
	const char *usual_sort;    /* without sort, if the table has its columns; NULL for none */
	const char *columns;       /* "a,b", or NULL for all that the run filled */
	const char *usual_columns; /* without columns; NULL for none */
	size_t limit;              /* rows to keep, per trace, in a tree per parent; 0 for all */
};

struct wl_view {
	const struct wl_table *table;
	/*
	 * Indexes into the table, n_rows of them. Where the table is no tree, those that the
	 * limit leaves out follow, up to n_total: charts draw them too.
	 */
	const uint32_t *rows;
	size_t n_rows;
	size_t n_total; /* rows that passed the filter, with their ancestors, before the limit */
	const uint32_t *levels; /* in a tree: how many ancestors each of rows has; else NULL */
	size_t name_col; /* in a tree: the column that people see indented, see wl_view_level() */
	const uint16_t *cols;
	size_t n_cols;
	size_t n_other_case;        /* of no row: those that would pass if patterns ignored case */
	const struct wl_col *unset; /* of no row: the filter asks for it, and no row has it */
	bool chosen_cols;           /* the columns were named: text must not leave any out */
	bool usual_cols;            /* but by usual_columns: text leaves out minor ones */
};

/* The view without columns that are empty in all its rows, unless the user chose them. */
struct wl_view wl_view_filled(const struct wl_view *view, uint16_t cols[WL_MAX_COLS]);

/* Whether the column is minor (WL_MINOR, WL_AT_0) in the rows that the view shows. Linear in them.
 */
bool wl_view_is_minor(const struct wl_view *view, size_t col);

/*
 * Make a view. An unknown column, a malformed expression or a value that does
 * not fit the column's type is WL_E_USAGE, and the message lists the valid
 * columns. Costs O(n log n) in the rows that pass the filter.
 */
int wl_view_make(const struct wl_table *table, const struct wl_view_opts *opts,
		 struct wl_arena *arena, struct wl_view *ret_view,
		 struct wl_err *reterr) WL_MUST_CHECK;

/* The sum of a column of times over all rows, also those that the limit leaves out; 0 without it.
 * It stops at the largest number. Not for trees. */
int64_t wl_view_sum(const struct wl_view *view, const char *key);

/*
 * Say in a note why a filter keeps all rows out, where that is clear: only the case of a pattern
 * does, or no row of the table has what it asks for.
 */
void wl_view_note_none(const struct wl_view *view, struct wl_table *table);

/*
 * How far people see the cell of the i-th row of the view indented: its level in the
 * column that names the rows of a tree, 0 in all others. That column is the first of
 * strings that the run filled, without flag WL_ORIGIN; when --columns leaves it out, no
 * column is indented.
 */
uint32_t wl_view_level(const struct wl_view *view, size_t i, size_t col);

#endif
