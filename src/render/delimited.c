#include "render/delimited.h"

#include <inttypes.h>

#include "render/frame.h"

static void put_cell(FILE *out, enum wl_type type, struct wl_cell cell, wl_put_text *put_text)
{
	char buf[WL_UNITS_BUF];

	if (!cell.set)
		return;
	if (wl_type_is_text(type))
		put_text(out, cell.str);
	else if (wl_type_is_real(type))
		(void)fputs(wl_fmt_f64(buf, cell.f64), out);
	else if (type == WL_T_BOOL)
		(void)fputs(cell.i64 ? "true" : "false", out);
	else
		(void)fprintf(out, "%" PRId64, cell.i64);
}

static void put_header(FILE *out, const struct wl_view *v, char separator, wl_put_text *put_text)
{
	size_t n = 0;

	for (size_t i = 0; v->table->is_tree && i < WL_N_TREE_COLS; i++) {
		if (n++)
			(void)fputc(separator, out);
		put_text(out, wl_tree_cols[i].key);
	}
	for (size_t i = 0; i < v->n_cols; i++) {
		if (n++)
			(void)fputc(separator, out);
		put_text(out, v->table->cols[v->cols[i]].key);
	}
	(void)fputc('\n', out);
}

static void put_row(FILE *out, const struct wl_view *v, size_t row, char separator,
		    wl_put_text *put_text)
{
	const struct wl_table *t = v->table;
	size_t n = 0;

	for (size_t i = 0; t->is_tree && i < WL_N_TREE_COLS; i++) {
		if (n++)
			(void)fputc(separator, out);
		put_cell(out, wl_tree_cols[i].type, wl_tree_at(t, row, i), put_text);
	}
	for (size_t i = 0; i < v->n_cols; i++) {
		if (n++)
			(void)fputc(separator, out);
		put_cell(out, t->cols[v->cols[i]].type, wl_table_at(t, row, v->cols[i]), put_text);
	}
	(void)fputc('\n', out);
}

void wl_put_delimited(const struct wl_document *doc, char separator, wl_put_text *put_text,
		      FILE *out)
{
	const struct wl_section *s = wl_first_section(doc);

	if (!s || s->missing)
		return;
	put_header(out, &s->view, separator, put_text);
	for (size_t i = 0; i < s->view.n_rows; i++)
		put_row(out, &s->view, s->view.rows[i], separator, put_text);
}
