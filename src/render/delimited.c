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

void wl_put_delimited(const struct wl_document *doc, char separator, wl_put_text *put_text,
		      FILE *out)
{
	const struct wl_section *s = wl_first_section(doc);
	const struct wl_table *t = s ? wl_section_table(s) : NULL;

	if (!t)
		return;
	for (size_t i = 0; i < s->view.n_cols; i++) {
		if (i)
			(void)fputc(separator, out);
		put_text(out, t->cols[s->view.cols[i]].key);
	}
	(void)fputc('\n', out);
	for (size_t row = 0; row < s->view.n_rows; row++) {
		for (size_t i = 0; i < s->view.n_cols; i++) {
			size_t col = s->view.cols[i];

			if (i)
				(void)fputc(separator, out);
			put_cell(out, t->cols[col].type, wl_table_at(t, s->view.rows[row], col),
				 put_text);
		}
		(void)fputc('\n', out);
	}
}
