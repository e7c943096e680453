/* SPDX-License-Identifier: MIT */
/* text_strip.c - shares over time on a terminal: one line of columns. */
#include "base/text/utf8.h"
#include "known/glyphs.h"
#include "render/text/looks.h"
#include "render/words/line.h"

/* The first share, and the first two lengths of time: the whole and its part. */
struct columns {
	size_t share, whole, part;
};

static bool find_columns(const struct wl_table *t, struct columns *ret)
{
	*ret = (struct columns){ t->n_cols, t->n_cols, t->n_cols };
	for (size_t i = t->n_cols; i-- > 0;) {
		if (t->cols[i].type == WL_T_RATIO)
			ret->share = i;
		if (t->cols[i].type == WL_T_NS) {
			ret->part = ret->whole;
			ret->whole = i;
		}
	}
	return ret->share < t->n_cols && ret->part < t->n_cols;
}

static void put_glyph(FILE *out, double share, const struct wl_render_opts *opts)
{
	char buf[WL_UTF8_MAX];
	size_t n = wl_utf8_encode(wl_level_glyph(share, opts->ascii), buf);

	(void)fwrite(buf, 1, n, out);
}

bool wl_text_strip(FILE *out, const char *title, const struct wl_view *v, bool has_total,
		   const struct wl_render_opts *opts)
{
	const struct wl_table *t = v->table;
	size_t taken = wl_line_width(title) + (has_total ? sizeof(" 100.0%") : 1),
	       limit = wl_line_limit(opts), width;
	char share[WL_UNITS_BUF];
	double whole = 0, part = 0;
	struct columns c;

	if (t->n_rows == 0 || !find_columns(t, &c))
		return false;
	width = limit > taken + 1 ? limit - taken : 1;
	width = width < t->n_rows ? width : t->n_rows;
	(void)wl_line_put_cut(out, title, limit, opts->ascii);
	(void)fputs(*title ? " " : "", out);
	for (size_t x = 0; x < width; x++) {
		struct wl_cell cell = wl_table_at(t, x * t->n_rows / width, c.share);

		put_glyph(out, cell.set ? cell.f64 : 0, opts);
	}
	for (size_t i = 0; i < t->n_rows && has_total; i++) {
		whole += (double)wl_table_at(t, i, c.whole).i64;
		part += (double)wl_table_at(t, i, c.part).i64;
	}
	if (has_total)
		(void)fprintf(out, " %s", wl_fmt_ratio(share, whole > 0 ? part / whole : 0));
	(void)fputc('\n', out);
	return true;
}
