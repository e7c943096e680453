/* SPDX-License-Identifier: MIT */
#include "render/data/delimited.h"

#include "base/text/put.h"
#include "render/words/frame.h"

static void put_cell(FILE *out, enum wl_type type, struct wl_cell cell, wl_put_text *put_text)
{
	char buf[WL_UNITS_BUF];

	if (!cell.set)
		return;
	if (wl_type_is_text(type))
		put_text(out, cell.str);
	else if (wl_type_is_real(type))
		wl_put_chars(out, wl_fmt_f64(buf, cell.f64));
	else if (type == WL_T_BOOL)
		wl_put_chars(out, cell.i64 ? "true" : "false");
	else
		wl_put_chars(out, wl_fmt_i64(buf, cell.i64));
}

void wl_delimited_header(const struct wl_delimited *d, const struct wl_view *view, FILE *out)
{
	size_t n = 0;

	for (size_t i = 0; view->table->is_tree && i < WL_N_TREE_COLS; i++) {
		if (n++)
			wl_put_byte(out, d->separator);
		d->put_text(out, wl_tree_cols[i].key);
	}
	for (size_t i = 0; i < view->n_cols; i++) {
		if (n++)
			wl_put_byte(out, d->separator);
		d->put_text(out, view->table->cols[view->cols[i]].key);
	}
	wl_put_byte(out, '\n');
}

void wl_delimited_row(const struct wl_delimited *d, const struct wl_view *view, size_t row,
		      FILE *out)
{
	const struct wl_table *t = view->table;
	size_t n = 0;

	for (size_t i = 0; t->is_tree && i < WL_N_TREE_COLS; i++) {
		if (n++)
			wl_put_byte(out, d->separator);
		put_cell(out, wl_tree_cols[i].type, wl_tree_at(t, row, i), d->put_text);
	}
	for (size_t i = 0; i < view->n_cols; i++) {
		size_t col = view->cols[i];

		if (n++)
			wl_put_byte(out, d->separator);
		put_cell(out, t->cols[col].type, wl_table_at(t, row, col), d->put_text);
	}
	wl_put_byte(out, '\n');
}

void wl_put_delimited(const struct wl_delimited *d, const struct wl_document *doc, FILE *out)
{
	const struct wl_section *s = wl_first_section(doc);

	if (!s || s->missing)
		return;
	wl_delimited_header(d, &s->view, out);
	for (size_t i = 0; i < s->view.n_rows; i++)
		wl_delimited_row(d, &s->view, s->view.rows[i], out);
}
