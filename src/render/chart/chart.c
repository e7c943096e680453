/* SPDX-License-Identifier: MIT */
#include "render/chart/chart.h"

#include "render/chart/chart_parts.h"
#include "render/words/markup.h"
#include "table/heat.h"

/* Find a column. Also true if none is named; then *ret is the number of columns. */
static bool find(const struct wl_table *t, const char *key, size_t *ret)
{
	*ret = t->n_cols;
	return !key || wl_table_find_col(t, key, ret) != NULL;
}

static bool find_all(const struct wl_table *t, const char *const *keys, size_t max, size_t *cols,
		     size_t *ret_n)
{
	size_t n = 0;

	while (n < max && keys[n] && find(t, keys[n], &cols[n]))
		n++;
	*ret_n = n;
	return n == max || !keys[n];
}

static bool bind(const struct wl_section *s, struct wl_plot *p)
{
	const struct wl_chart *c = s->chart;
	const struct wl_table *t = s->view.table;

	if (!c || s->missing || !find(t, c->label, &p->label) || !find(t, c->group, &p->group) ||
	    !find(t, c->flag, &p->flag) ||
	    !find_all(t, c->parts, WL_CHART_PARTS, p->part, &p->n_parts) ||
	    !find_all(t, c->also, WL_CHART_ALSO, p->also, &p->n_also))
		return false;
	p->chart = c;
	p->view = &s->view;
	p->n_rows = t->is_tree ? s->view.n_rows : s->view.n_total;
	p->type = t->cols[p->part[0]].type;
	return true;
}

bool wl_chart_is_drawn(const struct wl_section *s)
{
	struct wl_plot p;

	if (!bind(s, &p))
		return false;
	if (p.chart->kind == WL_CHART_HEAT)
		return wl_heat_has(s->view.table, p.chart);
	if (p.chart->kind == WL_CHART_ROOFLINE)
		return wl_roofline_has(&p);
	if (p.chart->kind == WL_CHART_FLAME && !wl_table_is_nested(s->view.table))
		return false;
	for (size_t row = 0; row < p.n_rows; row++) {
		for (size_t i = 0; i < p.n_parts; i++) {
			if (wl_plot_value(&p, row, p.part[i]) > 0)
				return true;
		}
	}
	return false;
}

void wl_chart_put(FILE *out, const struct wl_section *s, unsigned number, enum wl_timeunit unit)
{
	static wl_plotter *const plotters[] = {
		[WL_CHART_COLUMNS] = wl_plot_columns,   [WL_CHART_STACKS] = wl_plot_stacks,
		[WL_CHART_SIDES] = wl_plot_sides,       [WL_CHART_BARS] = wl_plot_bars,
		[WL_CHART_RANGES] = wl_plot_ranges,     [WL_CHART_HEAT] = wl_plot_heat,
		[WL_CHART_ROOFLINE] = wl_plot_roofline, [WL_CHART_FLAME] = wl_plot_flame,
	};
	struct wl_plot p = { .svg = { .out = out, .number = number, .unit = unit } };
	struct wl_spelling spelling;
	char remark[WL_REMARK] = "";

	if (!bind(s, &p))
		return;
	wl_spelling_init(&spelling, p.view, unit);
	p.spelling = &spelling;
	(void)fputs("<figure>\n", out);
	plotters[p.chart->kind](&p, remark);
	wl_put_element(out, "<figcaption>", p.chart->shows, "");
	wl_put_element(out, *remark ? " " : "", remark, "</figcaption>\n</figure>\n");
	if (p.chart->kind == WL_CHART_BARS)
		wl_plot_pivot(&p);
	wl_spelling_release(&spelling);
}
