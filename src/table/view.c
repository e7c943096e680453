/* SPDX-License-Identifier: MIT */
#include "table/view.h"

#include <string.h>

#include "base/num.h"
#include "table/cols.h"
#include "table/filter.h"
#include "table/order.h"
#include "table/origins.h"
#include "table/outline.h"

/* The rows that pass, in table order. */
static int choose_rows(const struct wl_table *t, const struct wl_filter *filter, uint32_t *rows,
		       size_t *ret_n, struct wl_err *reterr)
{
	size_t n = 0;

	for (size_t row = 0; row < t->n_rows; row++) {
		int r = filter->root ? wl_filter_match(filter, row, reterr) : 1;

		if (r < 0)
			return r;
		if (r > 0)
			rows[n++] = (uint32_t)row;
	}
	*ret_n = n;
	return WL_OK;
}

/* In a tree: ancestors, then the order, then the limit for each parent. */
static int make_outline(const struct wl_table *t, const struct wl_view_opts *opts,
			struct wl_arena *arena, uint32_t *rows, struct wl_view *v,
			struct wl_err *reterr)
{
	struct wl_outline o = { .rows = rows, .n = v->n_total };
	int r = wl_outline_add_ancestors(t, &o, arena, reterr);

	v->n_total = o.n;
	/* What is in order as a whole is in order within each parent. */
	if (r == WL_OK && opts->sort)
		r = wl_order_sort(t, opts->sort, rows, o.n, arena, reterr);
	if (r == WL_OK)
		r = wl_outline_arrange(t, opts->limit, &o, arena, reterr);
	v->n_rows = o.n;
	v->levels = o.levels;
	return r;
}

/* The first rows of each trace; the others follow, as they were. */
static int limit_rows(const struct wl_table *t, size_t limit, uint32_t *rows, struct wl_view *v,
		      struct wl_arena *arena, struct wl_err *reterr)
{
	struct wl_origins origins;
	uint32_t *rest = WL_NEW(arena, uint32_t, v->n_total);
	size_t n = 0, n_rest = 0;

	if (!rest || !wl_origins_find(t, arena, &origins))
		return wl_fail(reterr, WL_E_NOMEM, "no memory to list %zu rows", v->n_total);
	for (size_t i = 0; i < v->n_total; i++) {
		if (wl_origins_count(&origins, rows[i]) < limit)
			rows[n++] = rows[i];
		else
			rest[n_rest++] = rows[i];
	}
	memcpy(rows + n, rest, n_rest * sizeof(*rest));
	v->n_rows = n;
	return WL_OK;
}

/* A name typed in the wrong case should not look like one that is not there. */
static int count_other_case(const struct wl_table *t, struct wl_filter *filter, uint32_t *rows,
			    size_t *ret_n, struct wl_err *reterr)
{
	int r = wl_filter_ignore_case(filter, reterr);

	return r > 0 ? choose_rows(t, filter, rows, ret_n, reterr) : r;
}

static bool has_columns(const struct wl_table *t, const char *list)
{
	struct wl_col_ref ref;
	struct wl_err err;
	int r;

	while ((r = wl_cols_next(t, "sort", &list, &ref, &err)) > 0)
		;
	return r == WL_OK;
}

static int make_rows(const struct wl_table *t, const struct wl_view_opts *opts,
		     struct wl_arena *arena, struct wl_view *v, struct wl_err *reterr)
{
	WL_CLEANUP(wl_filter_release) struct wl_filter filter = { .table = t };
	uint32_t *rows;
	int r;

	if (opts->where) {
		r = wl_filter_init(&filter, t, opts->where, arena, reterr);
		if (r < 0)
			return r;
	}
	rows = WL_NEW(arena, uint32_t, t->n_rows);
	if (!rows)
		return wl_fail(reterr, WL_E_NOMEM, "no memory to list %zu rows", t->n_rows);
	v->rows = rows;
	r = choose_rows(t, &filter, rows, &v->n_total, reterr);
	/*
	 * No row matches where none has the column: users take that for an answer unless it is
	 * said.
	 */
	if (r == WL_OK && v->n_total == 0 && t->n_rows > 0) {
		size_t unset = wl_filter_unset(&filter);

		v->unset = unset < t->n_cols ? &t->cols[unset] : NULL;
	}
	if (r == WL_OK && v->n_total == 0)
		r = count_other_case(t, &filter, rows, &v->n_other_case, reterr);
	if (r < 0)
		return r;
	if (t->is_tree)
		return make_outline(t, opts, arena, rows, v, reterr);
	/* The usual order may be by a column that this run hides. */
	if (opts->sort)
		r = wl_order_sort(t, opts->sort, rows, v->n_total, arena, reterr);
	else if (opts->usual_sort && has_columns(t, opts->usual_sort))
		r = wl_order_sort(t, opts->usual_sort, rows, v->n_total, arena, reterr);
	if (r == WL_OK && opts->limit)
		return limit_rows(t, opts->limit, rows, v, arena, reterr);
	v->n_rows = v->n_total;
	return r;
}

/* The columns that the user names, in that order. */
static int choose_cols(const struct wl_table *t, const char *list, uint16_t *cols, size_t *ret_n,
		       struct wl_err *reterr)
{
	uint64_t seen = 0;
	size_t n = 0;
	struct wl_col_ref ref;
	int r;

	while ((r = wl_cols_next(t, "--columns", &list, &ref, reterr)) > 0) {
		uint64_t bit = UINT64_C(1) << ref.col;

		if (ref.minus)
			return wl_fail(reterr, WL_E_USAGE,
				       "--columns: '-%s': name the columns to show",
				       t->cols[ref.col].key);
		if (seen & bit)
			return wl_fail(reterr, WL_E_USAGE, "--columns: '%s' comes twice",
				       t->cols[ref.col].key);
		seen |= bit;
		cols[n++] = ref.col;
	}
	if (r == 0 && n == 0)
		r = wl_cols_unknown(t, "--columns", "", 0, reterr);
	*ret_n = n;
	return r;
}

/* The first column of strings that the run filled, but not the trace; n_cols if there is none. */
static size_t find_name_col(const struct wl_table *t)
{
	size_t col = 0;

	while (col < t->n_cols && (t->hidden >> col & 1 || t->cols[col].type != WL_T_STR ||
				   t->cols[col].flags & WL_ORIGIN))
		col++;
	return col;
}

uint32_t wl_view_level(const struct wl_view *view, size_t i, size_t col)
{
	return view->levels && col == view->name_col ? view->levels[i] : 0;
}

int wl_view_make(const struct wl_table *table, const struct wl_view_opts *opts,
		 struct wl_arena *arena, struct wl_view *ret_view, struct wl_err *reterr)
{
	const char *columns = opts->columns ? opts->columns : opts->usual_columns;
	struct wl_view v = {
		.table = table,
		.name_col = find_name_col(table),
		.chosen_cols = columns != NULL,
		.usual_cols = !opts->columns && columns != NULL,
	};
	uint16_t *cols = WL_NEW(arena, uint16_t, table->n_cols);
	int r;

	if (!cols)
		return wl_fail(reterr, WL_E_NOMEM, "no memory to list %zu columns", table->n_cols);
	if (columns) {
		r = choose_cols(table, columns, cols, &v.n_cols, reterr);
		if (r < 0)
			return r;
	} else {
		for (size_t i = 0; i < table->n_cols; i++) {
			if (!(table->hidden >> i & 1))
				cols[v.n_cols++] = (uint16_t)i;
		}
	}
	v.cols = cols;
	r = make_rows(table, opts, arena, &v, reterr);
	if (r < 0)
		return r;
	*ret_view = v;
	return WL_OK;
}

void wl_view_note_none(const struct wl_view *view, struct wl_table *table)
{
	if (view->unset)
		wl_table_note(table, "0 rows match: no row has a value of %s", view->unset->key);
	if (view->n_other_case)
		wl_table_note(table,
			      "no match; %zu if case is ignored (write the pattern in lower case)",
			      view->n_other_case);
}

static bool is_empty(const struct wl_view *view, size_t col)
{
	for (size_t i = 0; i < view->n_rows; i++) {
		if (wl_table_at(view->table, view->rows[i], col).set)
			return false;
	}
	return true;
}

struct wl_view wl_view_filled(const struct wl_view *view, uint16_t cols[WL_MAX_COLS])
{
	struct wl_view filled = *view;

	/* Columns that were asked for stay, and so does the head of a table without rows. */
	if (view->chosen_cols || view->n_rows == 0)
		return filled;
	filled.cols = cols;
	filled.n_cols = 0;
	for (size_t i = 0; i < view->n_cols; i++) {
		if (!is_empty(view, view->cols[i]))
			cols[filled.n_cols++] = view->cols[i];
	}
	return filled.n_cols ? filled : *view;
}

bool wl_view_is_minor(const struct wl_view *view, size_t col)
{
	uint32_t flags = view->table->cols[col].flags;

	/*
	 * Work of other threads must not hide in a column that gives way: it is minor only where
	 * all is 0.
	 */
	if (!(flags & WL_MINOR) || !(flags & WL_AT_0))
		return flags & WL_MINOR;
	for (size_t i = 0; i < view->n_rows; i++) {
		struct wl_cell cell = wl_table_at(view->table, view->rows[i], col);

		if (cell.set && cell.i64 != 0)
			return false;
	}
	return true;
}

int64_t wl_view_sum(const struct wl_view *view, const char *key)
{
	int64_t sum = 0;
	size_t col;

	if (!wl_table_find_col(view->table, key, &col))
		return 0;
	for (size_t i = 0; i < view->n_total; i++) {
		const struct wl_cell cell = wl_table_at(view->table, view->rows[i], col);

		if (cell.set && !wl_add_i64(sum, cell.i64, &sum))
			return cell.i64 > 0 ? INT64_MAX : INT64_MIN;
	}
	return sum;
}
