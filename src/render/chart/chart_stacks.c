/* SPDX-License-Identifier: MIT */
/*
 * chart_stacks.c - stacked bars: each is a whole, divided into shares.
 *
 * The parts of a bar are columns of its row (STACKS), or the rows of its column (SIDES). Stacks all
 * have one length; sides are drawn to one scale, so that the longer one is visible.
 */

#include "render/chart/chart_parts.h"
#include "render/words/markup.h"

enum { MAX_BARS = 64, MAX_PIECES = 24, HEIGHT = 18, PITCH = 24, LEFT = 92, RIGHT = 76, FOOT = 22 };

static const double room = WL_SVG_WIDTH - LEFT - RIGHT;

/* One bar: a piece per fill. */
struct bar {
	char name[WL_PLOT_NAME];
	double piece[MAX_PIECES];
	size_t n;
	double total;
};

/* The names and fills of pieces, the same for all bars. */
struct pieces {
	char name[MAX_PIECES][WL_PLOT_NAME];
	struct wl_swatch fill[MAX_PIECES];
	double sum[MAX_PIECES]; /* over all bars */
	size_t n;
};

static const char *share_text(double part, double whole, char buf[WL_UNITS_BUF])
{
	return wl_fmt_ratio(buf, whole > 0 ? part / whole : 0);
}

/* Draws the bar at y; its full length represents `whole`. */
static void put_bar(const struct wl_plot *p, const struct pieces *pieces, const struct bar *b,
		    double y, double whole)
{
	char share[WL_UNITS_BUF], value[WL_UNITS_BUF];
	struct wl_svg_box box = { LEFT, y, 0, HEIGHT };

	wl_svg_text(&p->svg, LEFT - 8, y + 13, WL_ANCHOR_END, b->name, 13);
	for (size_t i = 0; i < b->n; i++) {
		if (b->piece[i] <= 0)
			continue;
		box.w = room * b->piece[i] / whole;
		(void)share_text(b->piece[i], b->total, share);
		wl_svg_begin_box(&p->svg, box, pieces->fill[i]);
		wl_put_element(p->svg.out, "<title>", b->name, ": ");
		wl_put_element(p->svg.out, "", pieces->name[i], " ");
		(void)fprintf(p->svg.out, "%s, %s</title>", wl_plot_text(p, b->piece[i], value),
			      share);
		wl_svg_end_box(&p->svg);
		wl_svg_text_in(&p->svg, box, pieces->fill[i].colour, share);
		box.x += box.w;
	}
	wl_svg_text(&p->svg, box.x + 6, y + 13, WL_ANCHOR_START, wl_plot_text(p, b->total, value),
		    sizeof(value));
}

static void put_legend(const struct wl_plot *p, const struct pieces *pieces)
{
	char share[WL_UNITS_BUF], text[WL_PLOT_NAME + WL_UNITS_BUF];
	double all = 0;

	for (size_t i = 0; i < pieces->n; i++)
		all += pieces->sum[i];
	wl_legend_begin(p);
	for (size_t i = 0; i < pieces->n; i++) {
		(void)snprintf(text, sizeof(text), "%s %s", pieces->name[i],
			       share_text(pieces->sum[i], all, share));
		if (pieces->sum[i] > 0)
			wl_legend_put(p, pieces->fill[i], text);
	}
	wl_legend_end(p);
}

static void read_row(const struct wl_plot *p, size_t row, struct bar *b)
{
	*b = (struct bar){ .n = p->n_parts };
	(void)wl_plot_name(p, row, p->label, b->name);
	for (size_t i = 0; i < b->n; i++) {
		b->piece[i] = wl_plot_value(p, row, p->part[i]);
		b->total += b->piece[i];
	}
}

void wl_plot_stacks(const struct wl_plot *p, char remark[WL_REMARK])
{
	static const struct wl_scale percent = { .top = 1, .step = .25, .type = WL_T_RATIO };
	size_t n = p->n_rows < MAX_BARS ? p->n_rows : MAX_BARS;
	double bottom = (double)(n * PITCH) + 4;
	struct pieces pieces = { .n = p->n_parts };
	struct bar b;

	for (size_t i = 0; i < pieces.n; i++) {
		(void)wl_plot_part(p, i, pieces.name[i]);
		pieces.fill[i] = wl_swatch_of(p->chart->parts[i], i);
	}
	wl_svg_begin(&p->svg, bottom + FOOT, p->chart->title, p->chart->shows);
	wl_svg_hatches(&p->svg, pieces.fill, pieces.n);
	wl_plot_axis(p, &percent, LEFT, room, 0, bottom);
	for (size_t row = 0; row < n; row++) {
		read_row(p, row, &b);
		for (size_t i = 0; i < b.n; i++)
			pieces.sum[i] += b.piece[i];
		if (b.total > 0)
			put_bar(p, &pieces, &b, (double)(row * PITCH) + 4, b.total);
	}
	wl_svg_end(&p->svg);
	put_legend(p, &pieces);
	if (n < p->n_rows)
		(void)snprintf(remark, WL_REMARK, "Only the first %zu of %zu are drawn.", n,
			       p->n_rows);
}

/* The first rows are the pieces; all further rows form one piece. */
static void read_sides(const struct wl_plot *p, struct pieces *pieces, struct bar *bars)
{
	pieces->n = p->n_rows < MAX_PIECES ? p->n_rows : MAX_PIECES;
	for (size_t row = 0; row < p->n_rows; row++) {
		size_t at = row < pieces->n ? row : pieces->n - 1;

		if (row < pieces->n) {
			(void)wl_plot_name(p, row, p->label, pieces->name[at]);
			pieces->fill[at] = wl_swatch_of(pieces->name[at], at);
			if (p->view->table->cols[p->label].type == WL_T_ENUM)
				(void)wl_plot_words(pieces->name[at]);
		}
		for (size_t i = 0; i < p->n_parts; i++) {
			double v = wl_plot_value(p, row, p->part[i]);

			bars[i].piece[at] += v;
			bars[i].total += v;
			pieces->sum[at] += v;
		}
	}
	if (pieces->n < p->n_rows)
		(void)snprintf(pieces->name[pieces->n - 1], WL_PLOT_NAME, "others");
}

void wl_plot_sides(const struct wl_plot *p, char remark[WL_REMARK])
{
	double bottom = (double)(p->n_parts * PITCH) + 4, longest = 0;
	struct bar bars[WL_CHART_PARTS] = { { .n = 0 } };
	struct pieces pieces = { .n = 0 };
	struct wl_scale scale;

	read_sides(p, &pieces, bars);
	for (size_t i = 0; i < p->n_parts; i++) {
		(void)wl_plot_part(p, i, bars[i].name);
		bars[i].n = pieces.n;
		longest = bars[i].total > longest ? bars[i].total : longest;
	}
	scale = wl_scale_make(longest, 5, p->type, p->svg.unit);
	wl_svg_begin(&p->svg, bottom + FOOT, p->chart->title, p->chart->shows);
	wl_svg_hatches(&p->svg, pieces.fill, pieces.n);
	wl_plot_axis(p, &scale, LEFT, room, 0, bottom);
	for (size_t i = 0; i < p->n_parts; i++)
		put_bar(p, &pieces, &bars[i], (double)(i * PITCH) + 4, scale.top);
	wl_svg_end(&p->svg);
	put_legend(p, &pieces);
	if (pieces.n < p->n_rows)
		(void)snprintf(remark, WL_REMARK, "The last part holds %zu rows.",
			       p->n_rows - pieces.n + 1);
}
