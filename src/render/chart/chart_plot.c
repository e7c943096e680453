/* SPDX-License-Identifier: MIT */
/* chart_plot.c - values, names, axes and legends for all kinds of charts. */
#include <string.h>

#include "render/chart/chart_parts.h"
#include "render/words/markup.h"

double wl_plot_value(const struct wl_plot *p, size_t row, size_t col)
{
	const struct wl_table *t = p->view->table;
	struct wl_cell cell = wl_table_at(t, p->view->rows[row], col);
	double v = wl_type_is_real(t->cols[col].type) ? cell.f64 : (double)cell.i64;

	return cell.set && v > 0 ? v : 0;
}

const char *wl_plot_name(const struct wl_plot *p, size_t row, size_t col, char buf[WL_PLOT_NAME])
{
	const struct wl_table *t = p->view->table;
	const struct wl_col *c = &t->cols[col];
	char number[WL_UNITS_BUF];
	const char *text = row < p->view->n_rows
				   ? wl_spelling_cell(p->spelling, row, col, number)
				   : wl_human_cell(c, wl_table_at(t, p->view->rows[row], col),
						   p->svg.unit, number);

	/* Names are compared and cut as bytes; an incomplete character at the cut is replaced. */
	(void)snprintf(buf, WL_PLOT_NAME, "%s%s%s", wl_human_is_number(c->type) ? c->title : "",
		       wl_human_is_number(c->type) ? " " : "", text);
	return buf;
}

char *wl_plot_words(char *text)
{
	for (char *s = strchr(text, '_'); s; s = strchr(s, '_'))
		*s = ' ';
	return text;
}

const char *wl_plot_part(const struct wl_plot *p, size_t part, char buf[WL_PLOT_NAME])
{
	(void)snprintf(buf, WL_PLOT_NAME, "%s", p->chart->parts[part]);
	return wl_plot_words(buf);
}

const char *wl_plot_text(const struct wl_plot *p, double v, char buf[WL_UNITS_BUF])
{
	return wl_number_text(p->type, v, p->svg.unit, buf);
}

void wl_legend_begin(const struct wl_plot *p)
{
	(void)fputs("<ul class=\"legend\">\n", p->svg.out);
}

void wl_legend_put(const struct wl_plot *p, struct wl_swatch fill, const char *text)
{
	(void)fputs("<li><svg class=\"swatch\" viewBox=\"0 0 18 12\" aria-hidden=\"true\"><rect",
		    p->svg.out);
	wl_svg_put_fill(&p->svg, fill);
	(void)fputs(" x=\".5\" y=\".5\" width=\"17\" height=\"11\"/></svg>", p->svg.out);
	wl_put_markup_cut(p->svg.out, text, 60);
	(void)fputs("</li>\n", p->svg.out);
}

void wl_legend_end(const struct wl_plot *p)
{
	(void)fputs("</ul>\n", p->svg.out);
}

size_t wl_plot_every(double pitch)
{
	static const size_t factors[] = { 1, 2, 5 };
	size_t power = 1, n = 0;

	while ((double)(power * factors[n]) * pitch < 44) {
		n = (n + 1) % WL_COUNT(factors);
		power *= n ? 1 : 10;
	}
	return power * factors[n];
}

void wl_plot_axis(const struct wl_plot *p, const struct wl_scale *scale, double x, double width,
		  double top, double bottom)
{
	char buf[WL_UNITS_BUF];

	for (unsigned i = 0; i * scale->step <= scale->top * 1.0001; i++) {
		double v = i * scale->step, at = x + width * v / scale->top;

		wl_svg_grid(&p->svg, at, top, at, bottom);
		wl_svg_text(&p->svg, at, bottom + 15, WL_ANCHOR_MIDDLE,
			    wl_scale_text(scale, v, buf), sizeof(buf));
	}
}
