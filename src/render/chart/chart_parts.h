/* SPDX-License-Identifier: MIT */
/* chart_parts.h - declarations shared by the sources of all chart kinds. Internal to charts. */
#ifndef WL_RENDER_CHART_PARTS_H
#define WL_RENDER_CHART_PARTS_H

#include "render/chart/chart.h"
#include "render/chart/scale.h"
#include "render/chart/svg.h"
#include "render/words/spelling.h"

/* A chart and the columns it names, looked up in its view's table. */
struct wl_plot {
	const struct wl_chart *chart;
	const struct wl_view *view;
	const struct wl_spelling *spelling; /* names in the view; NULL until it is drawn */
	size_t n_rows;                      /* in view->rows, even beyond the table's limit */
	size_t label, group, flag; /* columns; group and flag are the table's n_cols if absent */
	size_t part[WL_CHART_PARTS], n_parts;
	size_t also[WL_CHART_ALSO], n_also;
	enum wl_type type; /* of the parts */
	struct wl_svg svg;
};

enum { WL_PLOT_NAME = 128 };

/* The number to draw: at least 0, and 0 if the cell is empty. */
double wl_plot_value(const struct wl_plot *p, size_t row, size_t col);

/*
 * The name of a bar or a panel: the cell in words; a number follows the title of its column, "GPU
 * 3". Long names are cut. Returns buf.
 */
const char *wl_plot_name(const struct wl_plot *p, size_t row, size_t col, char buf[WL_PLOT_NAME]);

/* The key of a part in words: "exposed comm". Returns buf. */
const char *wl_plot_part(const struct wl_plot *p, size_t part, char buf[WL_PLOT_NAME]);

/* Changes "exposed_comm" to "exposed comm" in place. Returns text. */
char *wl_plot_words(char *text);

/* A value of a part in words. Returns buf. */
const char *wl_plot_text(const struct wl_plot *p, double v, char buf[WL_UNITS_BUF]);

/* The legend is a list: begin it, put its entries, end it. */
void wl_legend_begin(const struct wl_plot *p);
void wl_legend_put(const struct wl_plot *p, struct wl_swatch fill, const char *text);
void wl_legend_end(const struct wl_plot *p);

/* For columns this many pixels apart: every how many columns there is room for a number below. */
size_t wl_plot_every(double pitch);

/* An axis for horizontal bars: grid lines from top to bottom and, below them, the numbers. */
void wl_plot_axis(const struct wl_plot *p, const struct wl_scale *scale, double x, double width,
		  double top, double bottom);

/*
 * The chart kinds. Each writes the picture, the legend and a remark: a sentence that says what is
 * left out, or "" if everything is shown.
 */
enum { WL_REMARK = 160 };
typedef void wl_plotter(const struct wl_plot *p, char remark[WL_REMARK]);
/* The table below the bars, if the chart has one. */
void wl_plot_pivot(const struct wl_plot *p);
/* Whether a row has both coordinates. */
bool wl_roofline_has(const struct wl_plot *p);

wl_plotter wl_plot_columns, wl_plot_stacks, wl_plot_sides, wl_plot_bars, wl_plot_ranges,
	wl_plot_heat, wl_plot_roofline, wl_plot_flame;

#endif
