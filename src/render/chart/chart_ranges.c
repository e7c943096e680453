/* SPDX-License-Identifier: MIT */
/*
 * chart_ranges.c - a chart of the spread of durations: each row has a line from the shortest to the
 * longest, a bar from the median to the next percentile and a stroke at the one above. Kernel
 * durations differ by powers of ten, so the axis is logarithmic.
 */
#include <math.h>

#include "render/chart/chart_parts.h"
#include "render/words/markup.h"

enum { MAX_ROWS = 12, PITCH = 40, SHARE = 10, LEFT = 10, RIGHT = 10, FOOT = 24 };
enum { LEAST, MEDIAN, HIGH, HIGHER, MOST, N_MARKS };

static const double room = WL_SVG_WIDTH - LEFT - RIGHT;
static const struct wl_swatch fill = { WL_COLOUR_GEMM, WL_HATCH_NONE };

struct decades {
	int first, last;
};

/* A value's position on the axis; values below 1, the smallest unit, are drawn at 1. */
static double at(struct decades d, double v)
{
	double exponent = log10(v < 1 ? 1 : v);

	return LEFT + room * (exponent - d.first) / (d.last - d.first);
}

static struct decades find_decades(const struct wl_plot *p, size_t n)
{
	double min = HUGE_VAL, max = 1;
	struct decades d;

	for (size_t row = 0; row < n; row++) {
		double least = wl_plot_value(p, row, p->part[LEAST]);
		double longest = wl_plot_value(p, row, p->part[MOST]);

		least = least < 1 ? 1 : least;
		min = least < min ? least : min;
		max = longest > max ? longest : max;
	}
	wl_scale_decades(min < max ? min : max, max, &d.first, &d.last);
	return d;
}

static void put_tick(const struct wl_plot *p, struct decades d, double v, double bottom)
{
	double x = at(d, v);
	enum wl_anchor anchor = x < LEFT + 1          ? WL_ANCHOR_START
				: x > LEFT + room - 1 ? WL_ANCHOR_END
						      : WL_ANCHOR_MIDDLE;
	char buf[WL_UNITS_BUF];

	wl_svg_grid(&p->svg, x, 0, x, bottom);
	wl_svg_text(&p->svg, x, bottom + 16, anchor, wl_plot_text(p, v, buf), sizeof(buf));
}

/* Powers of ten and, if there is room, values between them. */
static void put_axis(const struct wl_plot *p, struct decades d, double bottom)
{
	for (int i = d.first; i <= d.last; i++) {
		double power = pow(10, i);

		put_tick(p, d, power, bottom);
		if (d.last - d.first <= 2 && i < d.last) {
			put_tick(p, d, 2 * power, bottom);
			put_tick(p, d, 5 * power, bottom);
		}
	}
}

/* "2.155 s, 35.1%" at the right: the row's total. */
static void put_also(const struct wl_plot *p, size_t row, double y)
{
	char text[WL_CHART_ALSO * (WL_UNITS_BUF + 2)] = "", one[WL_UNITS_BUF];
	size_t used = 0;

	for (size_t i = 0; i < p->n_also && used < sizeof(text); i++) {
		const struct wl_col *col = &p->view->table->cols[p->also[i]];

		used += (size_t)snprintf(text + used, sizeof(text) - used, "%s%s", i ? ", " : "",
					 wl_number_text(col->type,
							wl_plot_value(p, row, p->also[i]),
							p->svg.unit, one));
	}
	if (used)
		wl_svg_text(&p->svg, LEFT + room, y, WL_ANCHOR_END, text, sizeof(text));
}

/* Whether rows have bars for their shares. */
static bool has_shares(const struct wl_plot *p)
{
	return p->n_also && p->view->table->cols[p->also[p->n_also - 1]].type == WL_T_RATIO;
}

static double pitch_of(const struct wl_plot *p)
{
	return has_shares(p) ? PITCH + SHARE : PITCH;
}

static struct wl_swatch fill_of(const struct wl_plot *p, size_t row)
{
	char word[WL_PLOT_NAME];
	bool has = p->group < p->view->table->n_cols;

	if (has)
		has = wl_table_at(p->view->table, p->view->rows[row], p->group).set;
	return (struct wl_swatch){
		has ? wl_swatch_of(wl_plot_name(p, row, p->group, word), 0).colour
		    : WL_COLOUR_OTHER,
		WL_HATCH_NONE
	};
}

/* The row's share as a bar, relative to the full width. Its text is above it. */
static void put_share(const struct wl_plot *p, size_t row, double y)
{
	const double share = wl_plot_value(p, row, p->also[p->n_also - 1]);
	char word[WL_PLOT_NAME] = "";

	wl_svg_begin_box(&p->svg,
			 (struct wl_svg_box){ LEFT, y, room * (share < 1 ? share : 1), SHARE - 2 },
			 fill_of(p, row));
	if (p->group < p->view->table->n_cols)
		wl_put_element(p->svg.out, "<title>", wl_plot_name(p, row, p->group, word),
			       "</title>");
	wl_svg_end_box(&p->svg);
}

static void put_row(const struct wl_plot *p, struct decades d, size_t row)
{
	char name[WL_PLOT_NAME], text[WL_UNITS_BUF], part[WL_PLOT_NAME];
	double y = (double)row * pitch_of(p), x[N_MARKS];
	FILE *out = p->svg.out;

	for (size_t i = 0; i < N_MARKS; i++)
		x[i] = at(d, wl_plot_value(p, row, p->part[i]));
	wl_svg_text(&p->svg, LEFT, y + 13, WL_ANCHOR_START, wl_plot_name(p, row, p->label, name),
		    p->n_also ? 70 : 88);
	put_also(p, row, y + 13);
	if (has_shares(p)) {
		put_share(p, row, y + 18);
		y += SHARE;
	}
	(void)fprintf(out, "<path class=\"w\" d=\"M%.1f %.1fH%.1fM%.1f %.1fv8M%.1f %.1fv8\"/>\n",
		      x[LEAST], y + 26, x[MOST], x[LEAST], y + 22, x[MOST], y + 22);
	wl_svg_begin_box(&p->svg,
			 (struct wl_svg_box){ x[MEDIAN], y + 20,
					      x[HIGH] > x[MEDIAN] + 2 ? x[HIGH] - x[MEDIAN] : 2,
					      12 },
			 fill);
	wl_put_element(out, "<title>", name, ":");
	for (size_t i = 0; i < N_MARKS; i++)
		(void)fprintf(out, " %s %s%s", wl_plot_part(p, i, part),
			      wl_plot_text(p, wl_plot_value(p, row, p->part[i]), text),
			      i + 1 < N_MARKS ? "," : "");
	(void)fputs("</title>", out);
	wl_svg_end_box(&p->svg);
	(void)fprintf(out, "<path class=\"s\" d=\"M%.1f %.1fv12\"/>\n", x[HIGHER], y + 20);
}

void wl_plot_ranges(const struct wl_plot *p, char remark[WL_REMARK])
{
	size_t n = p->n_rows < MAX_ROWS ? p->n_rows : MAX_ROWS;
	struct decades d = find_decades(p, n);
	double bottom = (double)n * pitch_of(p);

	wl_svg_begin(&p->svg, bottom + FOOT, p->chart->title, p->chart->shows);
	put_axis(p, d, bottom);
	for (size_t row = 0; row < n; row++)
		put_row(p, d, row);
	wl_svg_end(&p->svg);
	if (n < p->n_rows)
		(void)snprintf(remark, WL_REMARK, "Only the first %zu of %zu rows are drawn.", n,
			       p->n_rows);
}
