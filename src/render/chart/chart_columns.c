/* SPDX-License-Identifier: MIT */
/*
 * chart_columns.c - a chart with one stacked column per iteration and one panel per device.
 *
 * The label is a number that gives the column's position, so all panels share one axis. More than
 * MAX_COLUMNS numbers are merged evenly: a column is then the mean of its iterations. A panel is
 * read in one pass and drawn from at most MAX_COLUMNS sums, so the picture is small whatever the
 * table holds.
 */
#include <inttypes.h>
#include <string.h>

#include "render/chart/chart_parts.h"

enum { MAX_COLUMNS = 200, MAX_PANELS = 8, LEFT = 66, RIGHT = 8, HEAD = 18, FOOT = 34 };

static const double room = WL_SVG_WIDTH - LEFT - RIGHT;

struct column {
	double part[WL_CHART_PARTS]; /* sums */
	int64_t n;                   /* rows in it */
	bool flagged;
};

struct panel {
	char name[WL_PLOT_NAME];
	struct column column[MAX_COLUMNS];
};

/* The axes that all panels share. */
struct axis {
	int64_t first, last; /* labels */
	int64_t merged;      /* labels per column */
	size_t n;            /* columns */
	double pitch;        /* pixels per column */
	double height;       /* of a panel without its heading */
	struct wl_scale scale;
	struct wl_swatch fill[WL_CHART_PARTS];
};

static bool label_of(const struct wl_plot *p, size_t row, int64_t *ret)
{
	struct wl_cell cell = wl_table_at(p->view->table, p->view->rows[row], p->label);

	*ret = cell.i64;
	return cell.set;
}

/* The panels' names in row order; true if there are more than fit. */
static bool find_panels(const struct wl_plot *p, char names[][WL_PLOT_NAME], size_t *ret_n)
{
	bool has_group = p->group < p->view->table->n_cols, more = false;
	char name[WL_PLOT_NAME] = "";
	size_t n = 0;

	for (size_t row = 0; row < p->n_rows; row++) {
		size_t i = 0;

		if (has_group)
			(void)wl_plot_name(p, row, p->group, name);
		while (i < n && strcmp(names[i], name) != 0)
			i++;
		if (i == MAX_PANELS)
			more = true;
		else if (i == n)
			memcpy(names[n++], name, sizeof(name));
	}
	*ret_n = n;
	return more;
}

static bool find_labels(const struct wl_plot *p, struct axis *a)
{
	bool any = false;

	for (size_t row = 0; row < p->n_rows; row++) {
		int64_t label;

		if (!label_of(p, row, &label))
			continue;
		a->first = !any || label < a->first ? label : a->first;
		a->last = !any || label > a->last ? label : a->last;
		any = true;
	}
	if (any) {
		uint64_t between = (uint64_t)a->last - (uint64_t)a->first;

		a->merged = (int64_t)(between / MAX_COLUMNS) + 1;
		a->n = (size_t)(between / (uint64_t)a->merged) + 1;
		a->pitch = room / (double)a->n;
	}
	return any;
}

static void read_panel(const struct wl_plot *p, const struct axis *a, struct panel *panel)
{
	bool has_group = p->group < p->view->table->n_cols;
	bool has_flag = p->flag < p->view->table->n_cols;
	char name[WL_PLOT_NAME] = "";

	memset(panel->column, 0, sizeof(panel->column));
	for (size_t row = 0; row < p->n_rows; row++) {
		struct column *c;
		int64_t label;

		if (!label_of(p, row, &label))
			continue;
		if (has_group && strcmp(wl_plot_name(p, row, p->group, name), panel->name) != 0)
			continue;
		c = &panel->column[((uint64_t)label - (uint64_t)a->first) / (uint64_t)a->merged];
		for (size_t i = 0; i < p->n_parts; i++)
			c->part[i] += wl_plot_value(p, row, p->part[i]);
		c->flagged = c->flagged || (has_flag && wl_plot_value(p, row, p->flag) > 0);
		c->n++;
	}
}

static double column_total(const struct wl_plot *p, const struct column *c)
{
	double sum = 0;

	for (size_t i = 0; i < p->n_parts; i++)
		sum += c->part[i];
	return c->n ? sum / (double)c->n : 0;
}

/* One path per part, with a box for each column: half the bytes of separate rectangles. */
static void put_part(const struct wl_plot *p, const struct axis *a, const struct panel *panel,
		     size_t part, double bottom)
{
	double gap = a->pitch > 6 ? 1 : 0;
	FILE *out = p->svg.out;

	(void)fputs("<path", out);
	wl_svg_put_fill(&p->svg, a->fill[part]);
	(void)fputs(" d=\"", out);
	for (size_t i = 0; i < a->n; i++) {
		const struct column *c = &panel->column[i];
		double below = 0, h;

		for (size_t k = 0; k < part; k++)
			below += c->part[k];
		h = c->n ? a->height * c->part[part] / (double)c->n / a->scale.top : 0;
		if (h <= 0)
			continue;
		below = a->height * below / (double)c->n / a->scale.top;
		(void)fprintf(out, "M%.1f %.2fh%.1fv%.2fh%.1fz", LEFT + (double)i * a->pitch,
			      bottom - below, a->pitch - gap, -h, gap - a->pitch);
	}
	(void)fputs("\"/>\n", out);
}

/* The tooltip of a column: its number, its length and its parts. */
static void put_hint(const struct wl_plot *p, const struct axis *a, const struct panel *panel,
		     size_t i, struct wl_svg_box box)
{
	const struct column *c = &panel->column[i];
	const char *what = p->view->table->cols[p->label].title;
	int64_t first = a->first + (int64_t)i * a->merged;
	char text[WL_UNITS_BUF], part[WL_PLOT_NAME];
	FILE *out = p->svg.out;

	(void)fprintf(out,
		      "<rect class=\"o\" x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" height=\"%.1f\">"
		      "<title>%s %" PRId64,
		      box.x, box.y, box.w, box.h, what, first);
	if (a->merged > 1)
		(void)fprintf(out, " to %" PRId64 ", mean",
			      a->last - first < a->merged ? a->last : first + a->merged - 1);
	(void)fprintf(out, ": %s", wl_plot_text(p, column_total(p, c), text));
	for (size_t k = 0; k < p->n_parts; k++)
		(void)fprintf(out, ", %s %s", wl_plot_part(p, k, part),
			      wl_plot_text(p, c->part[k] / (double)c->n, text));
	(void)fputs(c->flagged ? ", stands out</title></rect>\n" : "</title></rect>\n", out);
}

static void put_panel(const struct wl_plot *p, const struct axis *a, const struct panel *panel,
		      double y)
{
	double top = y + HEAD, bottom = top + a->height;
	char buf[WL_UNITS_BUF];

	for (unsigned i = 0; i * a->scale.step <= a->scale.top * 1.0001; i++) {
		double v = i * a->scale.step, at = bottom - a->height * v / a->scale.top;

		wl_svg_grid(&p->svg, LEFT, at, LEFT + room, at);
		wl_svg_text(&p->svg, LEFT - 6, at + 4, WL_ANCHOR_END,
			    wl_scale_text(&a->scale, v, buf), sizeof(buf));
	}
	wl_svg_text(&p->svg, LEFT, y + 12, WL_ANCHOR_START, panel->name, 60);
	/* Outlines would hide columns that are only a few pixels wide. */
	(void)fputs(a->pitch < 6 ? "<g class=\"thin\">\n" : "<g>\n", p->svg.out);
	for (size_t i = 0; i < p->n_parts; i++)
		put_part(p, a, panel, i, bottom);
	(void)fputs("</g>\n", p->svg.out);
	for (size_t i = 0; i < a->n; i++) {
		double x = LEFT + (double)i * a->pitch;

		if (panel->column[i].n == 0)
			continue;
		if (panel->column[i].flagged)
			(void)fprintf(p->svg.out, "<path class=\"s\" d=\"M%.1f %.1fl4 7h-8z\"/>\n",
				      x + a->pitch / 2, y + 6);
		put_hint(p, a, panel, i, (struct wl_svg_box){ x, top, a->pitch, a->height });
	}
}

/* Numbers under the last panel, as many as fit. */
static void put_labels(const struct wl_plot *p, const struct axis *a, double y)
{
	const size_t every = wl_plot_every(a->pitch);
	char buf[WL_UNITS_BUF];

	for (size_t i = 0; i < a->n; i += every) {
		double x = LEFT + ((double)i + .5) * a->pitch;

		wl_svg_text(&p->svg, x, y + 14,
			    x > LEFT + room - 20 ? WL_ANCHOR_END : WL_ANCHOR_MIDDLE,
			    wl_fmt_i64(buf, a->first + (int64_t)i * a->merged), sizeof(buf));
	}
	wl_svg_text(&p->svg, LEFT + room, y + 29, WL_ANCHOR_END,
		    p->view->table->cols[p->label].title, 40);
}

static void put_legend(const struct wl_plot *p, const struct axis *a)
{
	char part[WL_PLOT_NAME];

	wl_legend_begin(p);
	for (size_t i = 0; i < p->n_parts; i++)
		wl_legend_put(p, a->fill[i], wl_plot_part(p, i, part));
	if (p->flag < p->view->table->n_cols)
		(void)fputs("<li>\u25b2 stands out</li>\n", p->svg.out);
	wl_legend_end(p);
}

static double find_max(const struct wl_plot *p, const struct axis *a, struct panel *panel,
		       char names[][WL_PLOT_NAME], size_t n)
{
	double max = 0;

	for (size_t k = 0; k < n; k++) {
		memcpy(panel->name, names[k], WL_PLOT_NAME);
		read_panel(p, a, panel);
		for (size_t i = 0; i < a->n; i++) {
			double total = column_total(p, &panel->column[i]);

			max = total > max ? total : max;
		}
	}
	return max;
}

static void put_remark(const struct axis *a, bool more, char remark[WL_REMARK])
{
	size_t n = 0;

	if (a->merged > 1)
		n = (size_t)snprintf(remark, WL_REMARK,
				     "A column is the mean of %" PRId64 " that follow each other.",
				     a->merged);
	if (more)
		(void)snprintf(remark + n, WL_REMARK - n, "%sOnly the first %d panels are drawn.",
			       n ? " " : "", MAX_PANELS);
}

void wl_plot_columns(const struct wl_plot *p, char remark[WL_REMARK])
{
	char names[MAX_PANELS][WL_PLOT_NAME];
	struct axis a = { .n = 0 };
	struct panel panel;
	double max;
	bool more;
	size_t n;

	if (!find_labels(p, &a))
		return;
	more = find_panels(p, names, &n);
	a.height = n == 1 ? 170 : n <= 4 ? 90 : 60;
	max = find_max(p, &a, &panel, names, n);
	max = max > 0 ? max : 1; /* values above 0 may be in a panel that is not drawn */
	a.scale = wl_scale_make(max, (unsigned)a.height / 18, p->type, p->svg.unit);
	a.scale.top = max; /* the highest column takes the full height */
	for (size_t i = 0; i < p->n_parts; i++)
		a.fill[i] = wl_swatch_of(p->chart->parts[i], i);
	wl_svg_begin(&p->svg, (double)n * (a.height + HEAD) + FOOT, p->chart->title,
		     p->chart->shows);
	wl_svg_hatches(&p->svg, a.fill, p->n_parts);
	for (size_t i = 0; i < n; i++) {
		memcpy(panel.name, names[i], WL_PLOT_NAME);
		read_panel(p, &a, &panel);
		put_panel(p, &a, &panel, (double)i * (a.height + HEAD));
	}
	put_labels(p, &a, (double)n * (a.height + HEAD));
	wl_svg_end(&p->svg);
	put_legend(p, &a);
	put_remark(&a, more, remark);
}
