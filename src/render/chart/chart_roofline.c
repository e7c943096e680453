/* SPDX-License-Identifier: MIT */
/*
 * chart_roofline.c - a roofline chart: one point per row on two logarithmic axes, and the lines
 * that no point can exceed. Points are numbered; the legend has their names.
 */
#include <math.h>

#include "render/chart/chart_parts.h"
#include "render/chart/label_places.h"
#include "render/words/markup.h"

enum { MAX_POINTS = 24, MAX_ROOFS = 6, MAX_DECADES = 14, LEFT = 64, RIGHT = 24, TOP = 28 };
enum { HEIGHT = 360, FOOT = 40 };
enum { X, Y, PEAK, SLOPE, N_PARTS };

static const struct wl_swatch fills[] = { { WL_COLOUR_GEMM, WL_HATCH_NONE },
					  { WL_COLOUR_ATTENTION, WL_HATCH_NONE } };

/* An axis: exponents of ten and the positions where they are drawn. */
struct axis {
	int first, last;
	double from, to;
};

struct roof {
	double peak, slope; /* 0 if unknown */
	bool is_known;      /* an earlier roof has the same slope, already drawn and labelled */
};

/* A point: its position and half its width. */
struct point {
	size_t row;
	double x, y, r;
};

struct picture {
	const struct wl_plot *p;
	struct point point[MAX_POINTS]; /* points that are drawn, in row order */
	size_t n, n_points;             /* points drawn, and points that could be drawn */
	struct roof roof[MAX_ROOFS];
	size_t n_roofs;
	struct axis x, y;
	struct wl_label_places labels;
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

static bool is_near(double a, double b)
{
	return fabs(a - b) <= 0.01 * b;
}

static void add_roof(struct picture *pic, size_t row)
{
	struct roof r = { value(pic->p, row, PEAK), value(pic->p, row, SLOPE) / 1e3, false };

	for (size_t i = 0; i < pic->n_roofs; i++) {
		if (is_near(pic->roof[i].slope, r.slope)) {
			if (is_near(pic->roof[i].peak, r.peak))
				return;
			r.is_known = true;
		}
	}
	if (pic->n_roofs < MAX_ROOFS && (r.peak > 0 || r.slope > 0))
		pic->roof[pic->n_roofs++] = r;
}

static void find_points(struct picture *pic)
{
	for (size_t row = 0; row < pic->p->n_rows; row++) {
		if (!is_point(pic->p, row))
			continue;
		if (pic->n < MAX_POINTS) {
			pic->point[pic->n++].row = row;
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

/* The axes include the points and the corners of their roofs; for an unusual report, only the top
 * part. */
static void find_axes(struct picture *pic)
{
	pic->x = (struct axis){ 400, -400, LEFT, WL_SVG_WIDTH - RIGHT };
	pic->y = (struct axis){ 400, -400, TOP + HEIGHT, TOP };
	for (size_t i = 0; i < pic->n; i++) {
		widen(&pic->x, value(pic->p, pic->point[i].row, X));
		widen(&pic->y, value(pic->p, pic->point[i].row, Y));
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

/* Values below the axis are drawn at its start. */
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
	wl_svg_text(svg, LEFT - 6, TOP - 14, WL_ANCHOR_END, "TFLOP/s", 10);
}

/* ---- Roofs ---- */

static double corner_of(const struct roof *r)
{
	return r->peak > 0 && r->slope > 0 ? r->peak / r->slope : 0;
}

/* The line from where the slope enters the picture to its corner or to where it leaves the
 * picture. */
static struct wl_svg_line slope_of(const struct picture *pic, const struct roof *r)
{
	double low = pow(10, pic->x.first), high = pow(10, pic->x.last);
	double bottom = pow(10, pic->y.first), top = pow(10, pic->y.last);
	double begin = fmax(low, bottom / r->slope);
	double end = corner_of(r) > 0 ? corner_of(r) : fmin(high, top / r->slope);

	return (struct wl_svg_line){ at(&pic->x, begin), at(&pic->y, begin * r->slope),
				     at(&pic->x, end), at(&pic->y, end * r->slope) };
}

/* The horizontal line from the corner on. */
static struct wl_svg_line level_of(const struct picture *pic, const struct roof *r)
{
	double low = pow(10, pic->x.first), y = at(&pic->y, r->peak);

	return (struct wl_svg_line){ at(&pic->x, corner_of(r) > 0 ? corner_of(r) : low), y,
				     pic->x.to, y };
}

static void put_roof(struct picture *pic, const struct roof *r)
{
	const struct wl_svg_line lines[] = { slope_of(pic, r), level_of(pic, r) };
	const bool has[] = { r->slope > 0, r->peak > 0 };

	for (size_t i = 0; i < WL_COUNT(lines); i++) {
		if (!has[i])
			continue;
		(void)fprintf(pic->p->svg.out, "<path class=\"s\" d=\"M%.1f %.1fL%.1f %.1f\"/>\n",
			      lines[i].x1, lines[i].y1, lines[i].x2, lines[i].y2);
		wl_label_places_add_line(&pic->labels, lines[i]);
	}
}

/* Puts a label that ends at x and is vertically centred at y. False if that place is taken. */
static bool put_ending(struct picture *pic, double x, double y, const char *text)
{
	const double w = wl_label_width(text);
	const struct wl_svg_box box = { x - w, y - WL_LABEL_HEIGHT / 2.0, w, WL_LABEL_HEIGHT };

	if (!wl_label_places_take(&pic->labels, box))
		return false;
	wl_svg_text(&pic->p->svg, x - 1, box.y + WL_LABEL_BASE, WL_ANCHOR_END, text, 32);
	return true;
}

/* Puts a label near a mark, with a leader line if needed. */
static void put_near(struct picture *pic, struct wl_svg_box mark, const char *text)
{
	struct wl_label_place place;

	if (!wl_label_places_take_near(&pic->labels, mark, wl_label_width(text), &place))
		return;
	if (place.has_leader)
		(void)fprintf(pic->p->svg.out, "<path class=\"w\" d=\"M%.1f %.1fL%.1f %.1f\"/>\n",
			      place.leader.x1, place.leader.y1, place.leader.x2, place.leader.y2);
	wl_svg_text(&pic->p->svg, place.box.x + place.box.w / 2, place.box.y + WL_LABEL_BASE,
		    WL_ANCHOR_MIDDLE, text, 32);
}

/* Places along a line that are tried for its label. */
enum { PLACES = 12 };

/* Puts the label beside the slope, where no point can be: tries places from its middle, up and down
 * in turn. */
static void label_slope(struct picture *pic, const struct roof *r)
{
	const struct wl_svg_line l = slope_of(pic, r);
	char number[WL_UNITS_BUF], text[WL_UNITS_BUF + 16];

	(void)snprintf(text, sizeof(text), "%s GB/s", wl_plot_text(pic->p, r->slope * 1e3, number));
	for (int i = 0; i < PLACES; i++) {
		const int away = (i + 1) / 2;
		double part = 0.5 + (i % 2 ? 1 : -1) * away / (double)PLACES;

		if (put_ending(pic, l.x1 + (l.x2 - l.x1) * part - 9,
			       l.y1 + (l.y2 - l.y1) * part - 4, text))
			return;
	}
	put_near(pic, (struct wl_svg_box){ (l.x1 + l.x2) / 2, (l.y1 + l.y2) / 2, 0, 0 }, text);
}

/* Puts the label above the line at its right end, else below it, else further left. */
static void label_level(struct picture *pic, const struct roof *r)
{
	const struct wl_svg_line l = level_of(pic, r);
	char number[WL_UNITS_BUF], text[WL_UNITS_BUF + 16];

	(void)snprintf(text, sizeof(text), "%s TFLOP/s", wl_plot_text(pic->p, r->peak, number));
	for (int i = 0; i < 2 * PLACES; i++) {
		const int away = i / 2;
		double x = l.x2 - 1 - (l.x2 - l.x1) * away / PLACES;

		if (put_ending(pic, x, l.y1 + (i % 2 ? 10 : -9), text))
			return;
	}
	put_near(pic, (struct wl_svg_box){ l.x2, l.y2, 0, 0 }, text);
}

static void put_roofs(struct picture *pic)
{
	for (size_t i = 0; i < pic->n_roofs; i++)
		put_roof(pic, &pic->roof[i]);
	for (size_t i = 0; i < pic->n_roofs; i++) {
		if (pic->roof[i].peak > 0)
			label_level(pic, &pic->roof[i]);
	}
	for (size_t i = 0; i < pic->n_roofs; i++) {
		if (pic->roof[i].slope > 0 && !pic->roof[i].is_known)
			label_slope(pic, &pic->roof[i]);
	}
}

/* ---- Points ---- */

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

/* Kernels under one roof are round, those under the other square, so that colour is not the only
 * difference. */
static bool is_square(const struct wl_plot *p, size_t row)
{
	struct wl_cell cell;

	if (p->group >= p->view->table->n_cols)
		return false;
	cell = wl_table_at(p->view->table, p->view->rows[row], p->group);
	return cell.set && cell.str[0] == 'D';
}

static void place_points(struct picture *pic)
{
	for (size_t i = 0; i < pic->n; i++) {
		struct point *o = &pic->point[i];
		double share = pic->p->n_also ? wl_plot_value(pic->p, o->row, pic->p->also[0]) : 0;

		o->r = 6 + 14 * sqrt(share < 1 ? share : 1);
		o->x = at(&pic->x, value(pic->p, o->row, X));
		o->y = at(&pic->y, value(pic->p, o->row, Y));
		wl_label_places_add_mark(
			&pic->labels,
			(struct wl_svg_box){ o->x - o->r, o->y - o->r, 2 * o->r, 2 * o->r });
	}
}

static void put_point(const struct picture *pic, const struct point *o)
{
	const struct wl_plot *p = pic->p;
	char words[WL_PLOT_NAME + 160];
	bool square = is_square(p, o->row);

	(void)fputs(square ? "<rect" : "<circle", p->svg.out);
	wl_svg_put_fill(&p->svg, fills[square]);
	if (square)
		(void)fprintf(p->svg.out, " x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" height=\"%.1f\">",
			      o->x - o->r, o->y - o->r, 2 * o->r, 2 * o->r);
	else
		(void)fprintf(p->svg.out, " cx=\"%.1f\" cy=\"%.1f\" r=\"%.1f\">", o->x, o->y, o->r);
	put_words(pic, o->row, words, sizeof(words));
	wl_put_element(p->svg.out, "<title>", words, "</title>");
	(void)fputs(square ? "</rect>\n" : "</circle>\n", p->svg.out);
}

/* Small points are drawn on top of large ones, so that none is hidden. */
static void put_points(const struct picture *pic)
{
	bool drawn[MAX_POINTS] = { false };

	for (size_t n = 0; n < pic->n; n++) {
		size_t next = pic->n;

		for (size_t i = 0; i < pic->n; i++) {
			if (!drawn[i] && (next == pic->n || pic->point[i].r > pic->point[next].r))
				next = i;
		}
		drawn[next] = true;
		put_point(pic, &pic->point[next]);
	}
}

static void put_number(struct picture *pic, size_t i)
{
	const struct point *o = &pic->point[i];
	const struct wl_svg_box mark = { o->x - o->r, o->y - o->r, 2 * o->r, 2 * o->r };
	char text[24];

	(void)snprintf(text, sizeof(text), "%zu", i + 1);
	put_near(pic, mark, text);
}

static void put_legend(const struct picture *pic)
{
	const struct wl_plot *p = pic->p;

	wl_legend_begin(p);
	for (size_t i = 0; i < pic->n; i++) {
		char name[WL_PLOT_NAME], text[WL_PLOT_NAME + 24];

		(void)snprintf(text, sizeof(text), "%zu %s", i + 1,
			       wl_plot_name(p, pic->point[i].row, p->label, name));
		wl_legend_put(p, fills[is_square(p, pic->point[i].row)], text);
	}
	wl_legend_end(p);
}

void wl_plot_roofline(const struct wl_plot *p, char remark[WL_REMARK])
{
	struct picture pic = { .p = p,
			       .labels.area = { LEFT, TOP - 16, WL_SVG_WIDTH - LEFT - RIGHT + 16,
						HEIGHT + 14 } };

	find_points(&pic);
	find_axes(&pic);
	wl_svg_begin(&p->svg, TOP + HEIGHT + FOOT, p->chart->title, p->chart->shows);
	put_axes(&pic);
	place_points(&pic);
	put_roofs(&pic);
	put_points(&pic);
	for (size_t i = 0; i < pic.n; i++)
		put_number(&pic, i);
	wl_svg_end(&p->svg);
	put_legend(&pic);
	if (pic.n < pic.n_points)
		(void)snprintf(remark, WL_REMARK, "Only the first %zu of %zu kernels are drawn.",
			       pic.n, pic.n_points);
}
