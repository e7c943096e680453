/* SPDX-License-Identifier: MIT */
/*
 * chart_heat.c - a heat map of values by rank and step: see table/heat.h.
 *
 * Cells of the lowest level are one path per row. Each of the others is a box with a tooltip; the
 * largest value of a row is written after the row.
 */
#include <inttypes.h>

#include "known/palette.h"
#include "render/chart/chart_parts.h"
#include "table/heat.h"

enum { MAX_ROWS = 64, MAX_COLUMNS = 100, LEFT = 104, RIGHT = 118, HEAD = 18, FOOT = 34 };
enum { MAX_BYTES = 256 << 20 };

static const double room = WL_SVG_WIDTH - LEFT - RIGHT;

_Static_assert((int)WL_HEAT_INKS == (int)WL_N_HEATS, "a level has an ink of the palette");

struct map {
	const struct wl_plot *p;
	struct wl_heat heat;
	struct wl_heat_fold fold;
	double pitch, height; /* of a cell, including the gap below it */
	bool has_numbers;     /* some cells have */
};

static unsigned level_of(const struct map *m, uint32_t item)
{
	return wl_heat_level(&m->heat, m->heat.item[item].value);
}

/* Cells only a few pixels wide have no gap between them. */
static double width_of(const struct map *m)
{
	return m->pitch < 8 ? m->pitch : m->pitch - 1;
}

/* The item with the largest value in a row; WL_NO_ROW if the row is empty. */
static uint32_t largest(const struct map *m, size_t row)
{
	uint32_t best = WL_NO_ROW;

	for (size_t i = 0; i < m->fold.n_cols; i++) {
		const uint32_t item = wl_heat_cell(&m->fold, row, i);

		if (item != WL_NO_ROW &&
		    (best == WL_NO_ROW || m->heat.item[best].value < m->heat.item[item].value))
			best = item;
	}
	return best;
}

/* Draws the cells that are not late as one shape. */
static void put_pale(const struct map *m, size_t row, double y)
{
	FILE *out = m->p->svg.out;
	bool any = false;

	for (size_t i = 0; i < m->fold.n_cols; i++) {
		const uint32_t item = wl_heat_cell(&m->fold, row, i);

		if (item == WL_NO_ROW || level_of(m, item) > 0)
			continue;
		(void)fputs(any ? "" : "<path class=\"k0\" d=\"", out);
		(void)fprintf(out, "M%.1f %.1fh%.1fv%.1fh%.1fz", LEFT + (double)i * m->pitch, y,
			      width_of(m), m->height - 1, -width_of(m));
		any = true;
	}
	(void)fputs(any ? "\"/>\n" : "", out);
}

/* The unit of the numbers in cells: the scale's unit. */
static const char *unit_of(const struct map *m, double *ret_ns)
{
	const int64_t pace = m->heat.pace;

	*ret_ns = pace >= 1000000000 ? 1e9 : pace >= 1000000 ? 1e6 : 1e3;
	return pace >= 1000000000 ? "s" : pace >= 1000000 ? "ms" : "us";
}

/* Writes the number with three digits, or two, as fits in the cell; else nothing. */
static void put_number(struct map *m, uint32_t item, struct wl_svg_box box)
{
	static const double digit = 6.6; /* pixels per digit, an average for text in a picture */
	char text[WL_UNITS_BUF];
	double unit, v;
	int n = 0;

	(void)unit_of(m, &unit);
	v = (double)m->heat.item[item].value / unit;
	for (int figures = 3; figures > 1; figures--) {
		n = v < 100 ? snprintf(text, sizeof(text), "%.*g", figures, v)
			    : snprintf(text, sizeof(text), "%.0f", v);
		if (n * digit + 2 <= box.w)
			break;
	}
	if (n * digit + 2 > box.w || box.h < 14)
		return;
	m->has_numbers = true;
	(void)fprintf(m->p->svg.out, "<text class=\"m l%u\" x=\"%.1f\" y=\"%.1f\">%s</text>",
		      wl_heat_ink(&m->heat, level_of(m, item)), box.x + box.w / 2,
		      box.y + box.h / 2 + 4, text);
}

static void put_late(struct map *m, uint32_t item, struct wl_svg_box box)
{
	char text[WL_HEAT_TEXT];

	(void)fprintf(m->p->svg.out,
		      "<g><title>%s</title><rect class=\"k%u\" x=\"%.1f\" y=\"%.1f\" "
		      "width=\"%.1f\" height=\"%.1f\"/>",
		      wl_heat_say(&m->heat, item, m->p->svg.unit, text),
		      wl_heat_ink(&m->heat, level_of(m, item)), box.x, box.y, box.w, box.h);
	put_number(m, item, box);
	(void)fputs("</g>\n", m->p->svg.out);
}

/* After a row: its largest value and the step it is in. */
static void put_largest(const struct map *m, size_t row, double y)
{
	const uint32_t item = largest(m, row);
	char late[WL_UNITS_BUF], text[WL_HEAT_TEXT];

	if (item == WL_NO_ROW)
		return;
	(void)snprintf(text, sizeof(text), "%s, step %" PRId64,
		       wl_plot_text(m->p, (double)m->heat.item[item].value, late),
		       m->heat.item[item].step);
	wl_svg_text(&m->p->svg, LEFT + room + 8, y, WL_ANCHOR_START, text, sizeof(text));
}

static void put_row(struct map *m, size_t row)
{
	const double y = HEAD + (double)row * m->height, base = y + m->height / 2 + 4;
	char name[WL_HEAT_TEXT];

	wl_svg_text(&m->p->svg, LEFT - 6, base, WL_ANCHOR_END,
		    wl_heat_row_name(&m->heat, &m->fold, row, name), sizeof(name));
	put_pale(m, row, y);
	for (size_t i = 0; i < m->fold.n_cols; i++) {
		const uint32_t item = wl_heat_cell(&m->fold, row, i);

		if (item != WL_NO_ROW && level_of(m, item) > 0)
			put_late(m, item,
				 (struct wl_svg_box){ LEFT + (double)i * m->pitch, y, width_of(m),
						      m->height - 1 });
	}
	put_largest(m, row, base);
}

static void put_steps(const struct map *m, double y)
{
	const size_t every = wl_plot_every(m->pitch);
	char buf[WL_UNITS_BUF];

	for (size_t i = 0; i < m->fold.n_cols; i += every)
		wl_svg_text(&m->p->svg, LEFT + ((double)i + .5) * m->pitch, y + 14,
			    WL_ANCHOR_MIDDLE,
			    wl_fmt_i64(buf, m->heat.first + (int64_t)(i * m->fold.per_col)),
			    sizeof(buf));
	wl_svg_text(&m->p->svg, LEFT + room, y + 29, WL_ANCHOR_END,
		    m->p->view->table->cols[m->p->label].title, 40);
	wl_svg_text(&m->p->svg, LEFT + room + 8, HEAD - 5, WL_ANCHOR_START, "Largest", 20);
}

static void put_legend(const struct map *m)
{
	FILE *out = m->p->svg.out;
	char text[WL_UNITS_BUF];

	wl_legend_begin(m->p);
	for (unsigned i = 0; i < m->heat.n_levels; i++)
		(void)fprintf(out,
			      "<li><svg class=\"swatch\" viewBox=\"0 0 18 12\" "
			      "aria-hidden=\"true\"><rect class=\"b k%u\" x=\".5\" y=\".5\" "
			      "width=\"17\" height=\"11\"/></svg>%s %s</li>\n",
			      wl_heat_ink(&m->heat, i), i ? "from" : "below",
			      wl_plot_text(m->p, (double)((i ? i : 1) * m->heat.pace), text));
	wl_legend_end(m->p);
}

static void put_map(struct map *m)
{
	const double bottom = HEAD + (double)m->fold.n_rows * m->height;

	wl_svg_begin(&m->p->svg, bottom + FOOT, m->p->chart->title, m->p->chart->shows);
	for (size_t i = 0; i < m->fold.n_rows; i++)
		put_row(m, i);
	put_steps(m, bottom);
	wl_svg_end(&m->p->svg);
	put_legend(m);
}

static void put_remark(const struct map *m, char remark[WL_REMARK])
{
	char note[WL_HEAT_TEXT];
	double ns;

	(void)wl_heat_fold_note(&m->fold, note);
	if (m->has_numbers)
		(void)snprintf(remark, WL_REMARK, "%.100s%sNumbers in cells are in %s.", note,
			       *note ? " " : "", unit_of(m, &ns));
	else
		(void)snprintf(remark, WL_REMARK, "%.159s", note);
}

void wl_plot_heat(const struct wl_plot *p, char remark[WL_REMARK])
{
	struct map m = { .p = p };
	struct wl_arena arena;

	wl_arena_init(&arena, MAX_BYTES);
	if (!wl_heat_read(p->view, p->chart, &arena, &m.heat) ||
	    !wl_heat_fold(&m.heat, MAX_ROWS, MAX_COLUMNS, &arena, &m.fold)) {
		(void)snprintf(remark, WL_REMARK, "There is no memory to draw it.");
	} else if (m.heat.n_items) {
		m.pitch = room / (double)m.fold.n_cols;
		m.pitch = m.pitch < 60 ? m.pitch : 60;
		m.height = m.fold.n_rows <= 16 ? 20 : m.fold.n_rows <= 32 ? 16 : 13;
		put_map(&m);
		put_remark(&m, remark);
	}
	wl_arena_release(&arena);
}
