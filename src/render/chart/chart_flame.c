/* SPDX-License-Identifier: MIT */
/*
 * chart_flame.c - a tree as a flame graph: each box is as wide as its time and is below its parent.
 *
 * Rows come depth first (table/view.h), so each is placed as it is read, and only the boxes around
 * it are kept. Boxes that are too narrow to see, or left out of the view, become one grey box after
 * the others of their parent. For two runs, a box is as wide as its time in both together, which
 * adds up (the larger of the two would not), and its colour shows by how much they differ.
 */
#include <string.h>

#include "render/chart/chart_parts.h"
#include "render/words/markup.h"

enum { TOTAL, SELF, N_OF_RUN }; /* parts of a run; those of a second run follow */

enum {
	MAX_BOXES = 600,
	MAX_LEVELS = 80, /* deeper frames are not drawn */
	MAX_MODULES = 6, /* modules with their own colour */
	HEIGHT = 16,
	MAX_TITLE = 160, /* most characters of a name in a box's title */
};

static const double char_width = 6.6, narrowest = 1;

/* A box that may contain later boxes. */
struct open_box {
	double x, end; /* end: of its children, without its own time */
	double next;   /* where its next child begins */
};

struct flame {
	const struct wl_plot *p;
	double scale;  /* pixels per unit */
	double least;  /* narrower boxes are not drawn */
	size_t levels; /* that are drawn */
	char module[MAX_MODULES][WL_PLOT_NAME];
	size_t n_modules;
	bool has_others, has_rest;
	struct open_box open[MAX_LEVELS + 1]; /* the first is the root */
	size_t n_open;
};

static size_t level_of(const struct flame *f, size_t row)
{
	return f->p->view->levels ? f->p->view->levels[row] : 0;
}

static bool is_change(const struct wl_plot *p)
{
	return p->n_parts > N_OF_RUN;
}

/* TOTAL or SELF, summed over both runs if there are two. */
static double value_of(const struct wl_plot *p, size_t row, size_t part)
{
	double value = wl_plot_value(p, row, p->part[part]);

	return is_change(p) ? value + wl_plot_value(p, row, p->part[N_OF_RUN + part]) : value;
}

static double width_of(const struct flame *f, size_t row)
{
	return value_of(f->p, row, TOTAL) * f->scale;
}

static bool is_drawn(const struct flame *f, size_t row)
{
	return width_of(f, row) >= f->least && level_of(f, row) < MAX_LEVELS;
}

/* Whether a name such as "[no sample]" is not a function. */
static bool is_rest(const char *name)
{
	return name[0] == '[';
}

static enum wl_colour colour_of(struct flame *f, const char *name, const char *module)
{
	static const enum wl_colour colours[MAX_MODULES] = {
		WL_COLOUR_ATTENTION, WL_COLOUR_OTHER, WL_COLOUR_NORM,
		WL_COLOUR_HOST,      WL_COLOUR_COMM,  WL_COLOUR_GEMM,
	};

	if (is_rest(name))
		return WL_COLOUR_NEUTRAL;
	for (size_t i = 0; i < f->n_modules; i++) {
		if (strcmp(f->module[i], module) == 0)
			return colours[i];
	}
	if (f->n_modules == MAX_MODULES) {
		f->has_others = true;
		return WL_COLOUR_COPY;
	}
	(void)snprintf(f->module[f->n_modules], WL_PLOT_NAME, "%s", module);
	return colours[f->n_modules++];
}

/* The colours for changes. */
static const struct {
	enum wl_colour colour;
	const char *says;
} changes[] = {
	{ WL_COLOUR_GEMM, "far less after, or none" }, { WL_COLOUR_OTHER, "less after" },
	{ WL_COLOUR_NEUTRAL, "about the same" },       { WL_COLOUR_ATTENTION, "more after" },
	{ WL_COLOUR_COMM, "far more after, or new" },
};

/* Within a tenth counts as about the same; twice or half counts as far more or less. */
static size_t change_of(const struct wl_plot *p, size_t row)
{
	double before = wl_plot_value(p, row, p->part[TOTAL]);
	double after = wl_plot_value(p, row, p->part[N_OF_RUN + TOTAL]);
	double share = before + after > 0 ? (after - before) / (after + before) : 0;

	if (share > -0.05 && share < 0.05)
		return 2;
	if (share < 0)
		return share < -1.0 / 3 ? 0 : 1;
	return share > 1.0 / 3 ? 4 : 3;
}

static struct wl_svg_box box_at(double x, double width, size_t level)
{
	return (struct wl_svg_box){ x, (double)(level * HEIGHT), width, HEIGHT };
}

/* The rest of a parent after its children. */
static void put_rest(struct flame *f, const struct open_box *of, size_t level)
{
	const struct wl_svg *svg = &f->p->svg;
	char value[WL_UNITS_BUF];
	double width = of->end - of->next;

	if (width < narrowest || level >= MAX_LEVELS)
		return;
	f->has_rest = true;
	wl_svg_begin_box(svg, box_at(of->next, width, level),
			 (struct wl_swatch){ WL_COLOUR_NEUTRAL, WL_HATCH_RISING });
	(void)fprintf(svg->out, "<title>others: %s</title>",
		      wl_plot_text(f->p, width / f->scale, value));
	wl_svg_end_box(svg);
}

static void close_to(struct flame *f, size_t n)
{
	for (; f->n_open > n; f->n_open--)
		put_rest(f, &f->open[f->n_open - 1], f->n_open - 1);
}

static const char *text_of(const struct wl_plot *p, size_t row, size_t part, char buf[WL_UNITS_BUF])
{
	return wl_plot_text(p, wl_plot_value(p, row, p->part[part]), buf);
}

static void put_frame(struct flame *f, size_t row, struct wl_svg_box box)
{
	const struct wl_svg *svg = &f->p->svg;
	char name[WL_PLOT_NAME], module[WL_PLOT_NAME], value[WL_UNITS_BUF], other[WL_UNITS_BUF];
	enum wl_colour colour;

	(void)wl_plot_name(f->p, row, f->p->label, name);
	(void)wl_plot_name(f->p, row, f->p->group, module);
	colour =
		is_change(f->p) ? changes[change_of(f->p, row)].colour : colour_of(f, name, module);
	wl_svg_begin_box(svg, box, (struct wl_swatch){ colour, WL_HATCH_NONE });
	(void)fputs("<title>", svg->out);
	wl_put_markup_cut(svg->out, name, MAX_TITLE);
	if (!is_rest(name))
		wl_put_element(svg->out, " (", module, ")");
	if (is_change(f->p))
		(void)fprintf(svg->out, ": %s before, %s after</title>",
			      text_of(f->p, row, TOTAL, value),
			      text_of(f->p, row, N_OF_RUN + TOTAL, other));
	else
		(void)fprintf(svg->out, ": %s, %s</title>", text_of(f->p, row, TOTAL, value),
			      wl_fmt_ratio(other, box.w / WL_SVG_WIDTH));
	wl_svg_end_box(svg);
	if (box.w > 4 * char_width)
		wl_svg_text_cut_in(svg, box, colour, name);
}

static void put_row(struct flame *f, size_t row)
{
	size_t level = level_of(f, row);
	struct open_box *parent, *mine;
	double width = width_of(f, row);

	close_to(f, level + 1);
	/* Nothing is drawn inside a box that is not drawn: it cannot be wider. */
	if (f->n_open != level + 1 || !is_drawn(f, row))
		return;
	parent = &f->open[level];
	put_frame(f, row, box_at(parent->next, width, level));
	mine = &f->open[level + 1];
	mine->x = mine->next = parent->next;
	mine->end = mine->x + width - value_of(f->p, row, SELF) * f->scale;
	f->n_open = level + 2;
	parent->next += width;
}

/* Chooses the smallest width at which at most MAX_BOXES are drawn. */
static void choose_least(struct flame *f)
{
	size_t n;

	f->least = narrowest;
	do {
		n = 0;
		for (size_t row = 0; row < f->p->n_rows; row++)
			n += is_drawn(f, row);
		f->least *= n > MAX_BOXES ? 2 : 1;
	} while (n > MAX_BOXES);
	for (size_t row = 0; row < f->p->n_rows; row++) {
		if (is_drawn(f, row) && level_of(f, row) + 1 > f->levels)
			f->levels = level_of(f, row) + 1;
	}
}

/* Sums over all rows of the table, so that a view without some roots has a rest, too. */
static double sum_of_roots(const struct wl_plot *p)
{
	const struct wl_table *t = p->view->table;
	double sum = 0;

	for (size_t part = TOTAL; part < p->n_parts; part += N_OF_RUN) {
		for (size_t row = 0; row < t->n_rows; row++) {
			const struct wl_cell cell = wl_table_at(t, row, p->part[part]);

			if (cell.set && cell.i64 > 0 && wl_table_parent(t, row) == WL_NO_ROW)
				sum += (double)cell.i64;
		}
	}
	return sum;
}

static void put_legend(struct flame *f)
{
	wl_legend_begin(f->p);
	for (size_t i = 0; is_change(f->p) && i < WL_COUNT(changes); i++)
		wl_legend_put(f->p, (struct wl_swatch){ changes[i].colour, WL_HATCH_NONE },
			      changes[i].says);
	for (size_t i = 0; i < f->n_modules; i++) {
		const enum wl_colour colour = colour_of(f, "", f->module[i]);

		wl_legend_put(f->p, (struct wl_swatch){ colour, WL_HATCH_NONE }, f->module[i]);
	}
	if (f->has_others)
		wl_legend_put(f->p, (struct wl_swatch){ WL_COLOUR_COPY, WL_HATCH_NONE },
			      "other modules");
	if (f->has_rest)
		wl_legend_put(f->p, (struct wl_swatch){ WL_COLOUR_NEUTRAL, WL_HATCH_RISING },
			      "others, smaller");
	wl_legend_end(f->p);
}

void wl_plot_flame(const struct wl_plot *p, char remark[WL_REMARK])
{
	static const struct wl_swatch rest = { WL_COLOUR_NEUTRAL, WL_HATCH_RISING };
	struct flame f = { .p = p, .scale = WL_SVG_WIDTH / sum_of_roots(p) };
	size_t deepest = 0;

	choose_least(&f);
	for (size_t row = 0; row < p->n_rows; row++) {
		if (width_of(&f, row) >= f.least && level_of(&f, row) + 1 > deepest)
			deepest = level_of(&f, row) + 1;
	}
	f.open[0] = (struct open_box){ .end = WL_SVG_WIDTH };
	f.n_open = 1;
	wl_svg_begin(&p->svg, (double)((f.levels + 1) * HEIGHT), p->chart->title, p->chart->shows);
	wl_svg_hatches(&p->svg, &rest, 1);
	for (size_t row = 0; row < p->n_rows; row++)
		put_row(&f, row);
	close_to(&f, 0);
	wl_svg_end(&p->svg);
	put_legend(&f);
	if (deepest > MAX_LEVELS)
		(void)snprintf(remark, WL_REMARK, "Only the outermost %d of %zu levels are drawn.",
			       MAX_LEVELS, deepest);
}
