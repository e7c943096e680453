/* SPDX-License-Identifier: MIT */
/*
 * figures.h - one unit and one number of decimals for the numbers of a column.
 *
 * Four significant digits for the largest number of a column, and at least two for the smallest
 * but zero; where the range does not allow that, each cell has a unit of its own. Points in time
 * are exact. Zeros at the end stay, unless all cells have them.
 */
#ifndef WL_RENDER_FIGURES_H
#define WL_RENDER_FIGURES_H

#include "base/text/units.h"
#include "table/view.h"

struct wl_figures {
	enum wl_timeunit timeunit;
	bool is_uniform; /* of numbers with a unit, and REAL: the precision below is of all cells */
	struct wl_precision precision;
	bool micro; /* write the micro sign instead of u; set by who can show it */
};

/* Linear in the rows of the view. */
void wl_figures_fit(struct wl_figures *f, const struct wl_view *view, size_t col,
		    enum wl_timeunit unit);

/* As wl_human_cell(), with these figures. */
const char *wl_figures_cell(const struct wl_figures *f, const struct wl_col *col,
			    struct wl_cell cell, char buf[WL_UNITS_BUF]);

#endif
