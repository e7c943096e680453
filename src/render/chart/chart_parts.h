/* SPDX-License-Identifier: MIT */
/* chart_parts.h - declarations that the kinds of charts share. Only for the sources of charts. */
#ifndef WL_RENDER_CHART_PARTS_H
#define WL_RENDER_CHART_PARTS_H

#include "render/chart/chart.h"
#include "render/chart/scale.h"
#include "render/chart/svg.h"
#include "render/words/spelling.h"

/* A chart with the columns that it names, found in the table of its view. */
struct wl_plot {
	const struct wl_chart *chart;
	const struct wl_view *view;
	const struct wl_spelling *spelling; /* the names of the view; NULL before it is drawn */
	size_t n_rows;                      /* of view->rows, also beyond the limit of the table */
	size_t label, group, flag; /* columns; group and flag are n_cols of the table for none */
	size_t part[WL_CHART_PARTS], n_parts;
	size_t also[WL_CHART_ALSO], n_also;
	enum wl_type type; /* of the parts */
	struct wl_svg svg;
};

enum { WL_PLOT_NAME = 128 };

/* A number that is drawn: at least 0, and 0 where the cell is empty. */
double wl_plot_value(const struct wl_plot *p, size_t row, size_t col);

/*
 * The name of a bar or a panel: the cell in words, and behind the title of its column
 * where it is a number, "GPU 3". Long ones are cut. Returns buf.
 */
const char *wl_plot_name(const struct wl_plot *p, size_t row, size_t col, char buf[WL_PLOT_NAME]);

/* The key of a part as words: "exposed comm". Returns buf. */
const char *wl_plot_part(const struct wl_plot *p, size_t part, char buf[WL_PLOT_NAME]);

/* In place: "exposed_comm" becomes "exposed comm". Returns it. */
char *wl_plot_words(char *text);

/* A value of a part in words; buf is what it returns. */
const char *wl_plot_text(const struct wl_plot *p, double v, char buf[WL_UNITS_BUF]);

/* One entry of the legend, which is a list between the two others. */
void wl_legend_begin(const struct wl_plot *p);
void wl_legend_put(const struct wl_plot *p, struct wl_swatch fill, const char *text);
void wl_legend_end(const struct wl_plot *p);

/* Of columns that are so many pixels apart, each how many-th has room for a number below it. */
size_t wl_plot_every(double pitch);

/* A vertical axis of the bars: grid lines from top to bottom and, below them, the numbers. */
void wl_plot_axis(const struct wl_plot *p, const struct wl_scale *scale, double x, double width,
		  double top, double bottom);

/*
 * The kinds. Each writes the picture and the legend, and a remark where it leaves
 * something out: a sentence, empty where it shows all.
 */
enum { WL_REMARK = 160 };
typedef void wl_plotter(const struct wl_plot *p, char remark[WL_REMARK]);
/* The table below the bars, where the chart has one. */
void wl_plot_pivot(const struct wl_plot *p);
/* Whether a row has both coordinates. */
bool wl_roofline_has(const struct wl_plot *p);

wl_plotter wl_plot_columns, wl_plot_stacks, wl_plot_sides, wl_plot_bars, wl_plot_ranges,
	wl_plot_heat, wl_plot_roofline, wl_plot_flame;

#endif
