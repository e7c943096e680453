/* SPDX-License-Identifier: MIT */
/*
 * chart_roofline.c - kernels below their roofs: a point per row on two logarithmic axes, and the
 * lines that no point can be above. Points are numbered; the legend has their names.
 */
#include <math.h>

#include "render/chart/chart_parts.h"
#include "render/words/markup.h"

enum { MAX_POINTS = 24, MAX_ROOFS = 6, MAX_DECADES = 14, LEFT = 64, RIGHT = 16, TOP = 14 };
enum { HEIGHT = 360, FOOT = 40 };
enum { X, Y, PEAK, SLOPE, N_PARTS };

static const struct wl_swatch fills[] = { { WL_COLOUR_GEMM, WL_HATCH_NONE },
					  { WL_COLOUR_ATTENTION, WL_HATCH_NONE } };

/* An axis: exponents of ten, and where they are drawn. */
struct axis {
	int first, last;
	double from, to;
};

struct roof {
	double peak, slope; /* 0 for one that is not known */
};

struct picture {
	const struct wl_plot *p;
	size_t row[MAX_POINTS], n; /* that are drawn */
	size_t n_points;           /* that could be */
	struct roof roof[MAX_ROOFS];
	size_t n_roofs;
	struct axis x, y;
};

static double value(const struct wl_plot *p, size_t row, size_t part)
{
	return wl_plot_value(p, row, p->part[part]);
}

static bool is_point(const struct wl_plot *p, size_t row)
{
	return value(p, row, X) > 0 && value(p, row, Y) > 0;
}

bool wl_roofline_has(const struct wl_plot *p)
{
	for (size_t row = 0; row < p->n_rows; row++) {
		if (is_point(p, row))
			return true;
	}
	return false;
}

static void add_roof(struct picture *pic, size_t row)
{
	const struct roof r = { value(pic->p, row, PEAK), value(pic->p, row, SLOPE) / 1e3 };
	size_t i = 0;

	while (i < pic->n_roofs && (fabs(pic->roof[i].peak - r.peak) > 0.01 * r.peak ||
				    fabs(pic->roof[i].slope - r.slope) > 0.01 * r.slope))
		i++;
	if (i == pic->n_roofs && i < MAX_ROOFS && (r.peak > 0 || r.slope > 0))
		pic->roof[pic->n_roofs++] = r;
}

static void find_points(struct picture *pic)
{
	for (size_t row = 0; row < pic->p->n_rows; row++) {
		if (!is_point(pic->p, row))
			continue;
		if (pic->n < MAX_POINTS) {
			pic->row[pic->n++] = row;
			add_roof(pic, row);
		}
		pic->n_points++;
	}
}

static void widen(struct axis *a, double v)
{
	int low = (int)floor(log10(v)), high = (int)ceil(log10(v) + 1e-9);

	a->first = low < a->first ? low : a->first;
	a->last = high > a->last ? high : a->last;
}

/* Points and the corners of their roofs are in the picture; of an odd report the top of it. */
static void find_axes(struct picture *pic)
{
	pic->x = (struct axis){ 400, -400, LEFT, WL_SVG_WIDTH - RIGHT };
	pic->y = (struct axis){ 400, -400, TOP + HEIGHT, TOP };
	for (size_t i = 0; i < pic->n; i++) {
		widen(&pic->x, value(pic->p, pic->row[i], X));
		widen(&pic->y, value(pic->p, pic->row[i], Y));
	}
	for (size_t i = 0; i < pic->n_roofs; i++) {
		const struct roof *r = &pic->roof[i];

		if (r->peak > 0)
			widen(&pic->y, r->peak);
		if (r->peak > 0 && r->slope > 0)
			widen(&pic->x, r->peak / r->slope);
	}
	if (pic->x.last - pic->x.first > MAX_DECADES)
		pic->x.first = pic->x.last - MAX_DECADES;
	if (pic->y.last - pic->y.first > MAX_DECADES)
		pic->y.first = pic->y.last - MAX_DECADES;
}

/* What lies before the axis is drawn at its beginning. */
static double at(const struct axis *a, double v)
{
	double part = (log10(v) - a->first) / (a->last - a->first);

	part = part < 0 ? 0 : part > 1 ? 1 : part;
	return a->from + (a->to - a->from) * part;
}

static void put_axes(const struct picture *pic)
{
	const struct wl_svg *svg = &pic->p->svg;
	char buf[WL_UNITS_BUF];

	for (int i = pic->x.first; i <= pic->x.last; i++) {
		double x = at(&pic->x, pow(10, i));

		wl_svg_grid(svg, x, TOP, x, TOP + HEIGHT);
		wl_svg_text(svg, x, TOP + HEIGHT + 15, WL_ANCHOR_MIDDLE,
			    wl_plot_text(pic->p, pow(10, i), buf), sizeof(buf));
	}
	for (int i = pic->y.first; i <= pic->y.last; i++) {
		double y = at(&pic->y, pow(10, i));

		wl_svg_grid(svg, LEFT, y, WL_SVG_WIDTH - RIGHT, y);
		wl_svg_text(svg, LEFT - 6, y + 4, WL_ANCHOR_END,
			    wl_plot_text(pic->p, pow(10, i), buf), sizeof(buf));
	}
	wl_svg_text(svg, (LEFT + WL_SVG_WIDTH - RIGHT) / 2.0, TOP + HEIGHT + 32, WL_ANCHOR_MIDDLE,
		    "FLOP per byte of DRAM traffic", 40);
	wl_svg_text(svg, 4, TOP - 3, WL_ANCHOR_START, "TFLOP/s", 10);
}

/* From where the slope enters the picture to its corner, and level from there. */
static void put_roof(const struct picture *pic, const struct roof *r)
{
	const struct wl_plot *p = pic->p;
	double low = pow(10, pic->x.first), high = pow(10, pic->x.last);
	double bottom = pow(10, pic->y.first), top = pow(10, pic->y.last);
	double corner = r->peak > 0 && r->slope > 0 ? r->peak / r->slope : 0;
	char number[WL_UNITS_BUF], text[WL_UNITS_BUF + 16];
	FILE *out = p->svg.out;

	if (r->slope > 0) {
		double begin = fmax(low, bottom / r->slope);
		double end = corner > 0 ? corner : fmin(high, top / r->slope);

		(void)fprintf(out, "<path class=\"s\" d=\"M%.1f %.1fL%.1f %.1f\"/>\n",
			      at(&pic->x, begin), at(&pic->y, begin * r->slope), at(&pic->x, end),
			      at(&pic->y, end * r->slope));
		(void)snprintf(text, sizeof(text), "%s GB/s",
			       wl_plot_text(p, r->slope * 1e3, number));
		wl_svg_text(&p->svg, at(&pic->x, begin) + 8, at(&pic->y, begin * r->slope) - 14,
			    WL_ANCHOR_START, text, sizeof(text));
	}
	if (r->peak <= 0)
		return;
	(void)fprintf(out, "<path class=\"s\" d=\"M%.1f %.1fH%.1f\"/>\n",
		      at(&pic->x, corner > 0 ? corner : low), at(&pic->y, r->peak), pic->x.to);
	(void)snprintf(text, sizeof(text), "%s TFLOP/s", wl_plot_text(p, r->peak, number));
	wl_svg_text(&p->svg, pic->x.to - 2, at(&pic->y, r->peak) - 5, WL_ANCHOR_END, text,
		    sizeof(text));
}

/* "gemm: 412 TFLOP/s, 103 FLOP/B, share 12.0%, roof share 42.0%" */
static void put_words(const struct picture *pic, size_t row, char *buf, size_t size)
{
	const struct wl_plot *p = pic->p;
	char name[WL_PLOT_NAME], a[WL_UNITS_BUF], b[WL_UNITS_BUF], part[WL_PLOT_NAME];
	int used = snprintf(
		buf, size, "%s: %s TFLOP/s, %s FLOP/B", wl_plot_name(p, row, p->label, name),
		wl_plot_text(p, value(p, row, Y), a), wl_plot_text(p, value(p, row, X), b));

	for (size_t i = 0; i < p->n_also && used > 0 && (size_t)used < size; i++) {
		const struct wl_col *col = &p->view->table->cols[p->also[i]];

		(void)snprintf(part, sizeof(part), "%s", p->chart->also[i]);
		used += snprintf(buf + used, size - (size_t)used, ", %s %s", wl_plot_words(part),
				 wl_number_text(col->type, wl_plot_value(p, row, p->also[i]),
						p->svg.unit, a));
	}
}

/* Kernels at the one roof are round, those at the other one square: colour is not all. */
static bool is_square(const struct wl_plot *p, size_t row)
{
	struct wl_cell cell;

	if (p->group >= p->view->table->n_cols)
		return false;
	cell = wl_table_at(p->view->table, p->view->rows[row], p->group);
	return cell.set && cell.str[0] == 'D';
}

static void put_point(const struct picture *pic, size_t number)
{
	const struct wl_plot *p = pic->p;
	size_t row = pic->row[number];
	double share = p->n_also ? wl_plot_value(p, row, p->also[0]) : 0;
	double r = 6 + 14 * sqrt(share < 1 ? share : 1);
	double x = at(&pic->x, value(p, row, X)), y = at(&pic->y, value(p, row, Y));
	char words[WL_PLOT_NAME + 160], text[24];
	bool square = is_square(p, row);

	(void)fputs(square ? "<rect" : "<circle", p->svg.out);
	wl_svg_put_fill(&p->svg, fills[square]);
	if (square)
		(void)fprintf(p->svg.out, " x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" height=\"%.1f\">",
			      x - r, y - r, 2 * r, 2 * r);
	else
		(void)fprintf(p->svg.out, " cx=\"%.1f\" cy=\"%.1f\" r=\"%.1f\">", x, y, r);
	put_words(pic, row, words, sizeof(words));
	wl_put_element(p->svg.out, "<title>", words, "</title>");
	(void)fputs(square ? "</rect>\n" : "</circle>\n", p->svg.out);
	(void)snprintf(text, sizeof(text), "%zu", number + 1);
	wl_svg_text(&p->svg, x + r + 2, y + 4, WL_ANCHOR_START, text, sizeof(text));
}

void wl_plot_roofline(const struct wl_plot *p, char remark[WL_REMARK])
{
	struct picture pic = { .p = p };

	find_points(&pic);
	find_axes(&pic);
	wl_svg_begin(&p->svg, TOP + HEIGHT + FOOT, p->chart->title, p->chart->shows);
	put_axes(&pic);
	for (size_t i = 0; i < pic.n_roofs; i++)
		put_roof(&pic, &pic.roof[i]);
	for (size_t i = pic.n; i > 0; i--)
		put_point(&pic, i - 1);
	wl_svg_end(&p->svg);
	wl_legend_begin(p);
	for (size_t i = 0; i < pic.n; i++) {
		char name[WL_PLOT_NAME], text[WL_PLOT_NAME + 24];

		(void)snprintf(text, sizeof(text), "%zu %s", i + 1,
			       wl_plot_name(p, pic.row[i], p->label, name));
		wl_legend_put(p, fills[is_square(p, pic.row[i])], text);
	}
	wl_legend_end(p);
	if (pic.n < pic.n_points)
		(void)snprintf(remark, WL_REMARK, "Only the first %zu of %zu kernels are drawn.",
			       pic.n, pic.n_points);
}
