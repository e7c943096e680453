/* SPDX-License-Identifier: MIT */
#include "render/data/json_row.h"

#include "known/definitions.h"

void wl_json_cell(struct wl_jsonw *w, enum wl_type type, struct wl_cell cell)
{
	if (!cell.set)
		wl_jsonw_null(w);
	else if (wl_type_is_text(type))
		wl_jsonw_str(w, cell.str);
	else if (wl_type_is_real(type))
		wl_jsonw_f64(w, cell.f64);
	/* As a string: readers that use doubles would lose part of the 64 bits. */
	else if (type == WL_T_ID)
		wl_jsonw_id(w, cell.i64);
	else if (type == WL_T_BOOL)
		wl_jsonw_bool(w, cell.i64 != 0);
	else
		wl_jsonw_i64(w, cell.i64);
}

void wl_json_head(struct wl_jsonw *w)
{
	wl_jsonw_put_str(w, "schema", "warplens/1");
	wl_jsonw_put_i64(w, "definitions", WL_DEFINITIONS);
}

static void put_column(struct wl_jsonw *w, const struct wl_col *col)
{
	wl_jsonw_newline(w);
	wl_jsonw_begin_object(w);
	wl_jsonw_put_str(w, "key", col->key);
	wl_jsonw_put_str(w, "title", col->title);
	wl_jsonw_put_str(w, "type", wl_type_name(col->type));
	wl_jsonw_put_str(w, "unit", wl_type_unit(col->type));
	wl_jsonw_end_object(w);
}

void wl_json_columns(struct wl_jsonw *w, const struct wl_view *view)
{
	wl_jsonw_open_array(w, "columns");
	for (size_t i = 0; view->table->is_tree && i < WL_N_TREE_COLS; i++)
		put_column(w, &wl_tree_cols[i]);
	for (size_t i = 0; i < view->n_cols; i++)
		put_column(w, &view->table->cols[view->cols[i]]);
	wl_jsonw_end_array(w);
}

void wl_json_row(struct wl_jsonw *w, const struct wl_view *view, size_t row)
{
	const struct wl_table *t = view->table;

	wl_jsonw_begin_object(w);
	for (size_t c = 0; t->is_tree && c < WL_N_TREE_COLS; c++) {
		wl_jsonw_key(w, wl_tree_cols[c].key);
		wl_json_cell(w, wl_tree_cols[c].type, wl_tree_at(t, row, c));
	}
	for (size_t c = 0; c < view->n_cols; c++) {
		size_t col = view->cols[c];

		wl_jsonw_key(w, t->cols[col].key);
		wl_json_cell(w, t->cols[col].type, wl_table_at(t, row, col));
	}
	wl_jsonw_end_object(w);
}
