/* SPDX-License-Identifier: MIT */
/*
 * chart.h - a picture of a table, as constant data: which columns are drawn, and how.
 *
 * A chart shows nothing that its table does not hold. Columns are named by their keys; a
 * chart whose columns a run does not fill, or that has no value above 0, is not drawn.
 */
#ifndef WL_TABLE_CHART_H
#define WL_TABLE_CHART_H

#include <stdbool.h>

enum wl_chart_kind {
	/*
	 * A stacked column per row, in the order of label, which holds integers; a panel
	 * per value of group. The step budget of iterations.
	 */
	WL_CHART_COLUMNS,
	/* A stacked bar per row; its parts are columns of the table. Where each GPU's time goes. */
	WL_CHART_STACKS,
	/*
	 * A stacked bar per part, whose own parts are the rows, named by label. Before and
	 * after, of a table with a column for each.
	 */
	WL_CHART_SIDES,
	/* A bar per value of label: the sum of its rows, divided by group. Causes, categories. */
	WL_CHART_BARS,
	/*
	 * Per row how values are spread, on a logarithmic axis. The parts are the columns of
	 * minimum, median, two percentiles above it and maximum, in this order. Of also the last, a
	 * share, is a bar below the name of the row, in the colour of group.
	 */
	WL_CHART_RANGES,
	/*
	 * A row per value of group, whose rows follow each other, a column per value of label,
	 * integers, and in each cell the sum of the parts, as a colour: see heat.h. named is a
	 * column that numbers rows better than group, also the length of what a value is a part of.
	 */
	WL_CHART_HEAT,
	/*
	 * A point per row on two logarithmic axes, below lines that are its limits. The parts are
	 * x, y, the highest y, and how much of y a unit of x allows, in thousandths. The first of
	 * also is the area of the point; group has its colour.
	 */
	WL_CHART_ROOFLINE,
	/*
	 * A box per row of a tree, below that of its parent and as wide as the first part; the
	 * second is what of it is in no child. group has its colour. With four parts the first two
	 * are of one run and the others of another: a box is as wide as both together, and its
	 * colour says what changed. A tree without children is not drawn.
	 */
	WL_CHART_FLAME,
};

enum { WL_CHART_PARTS = 8, WL_CHART_ALSO = 2, WL_CHART_NAMED = 2 };

/* What a bar has beside the parts of its rows: a column with one value for all of them. */
struct wl_chart_rest {
	const char *key;  /* of the column */
	const char *name; /* of the part */
};

/*
 * Names whose values make up the groups of a chart of several traces: their column, that of their
 * sums, and the option whose answer has them. Traces may group them differently.
 */
struct wl_chart_members {
	const char *name, *sum;
	const char *option, *value;
};

struct wl_chart {
	enum wl_chart_kind kind;
	const char *title;
	const char *shows; /* full sentences: what is drawn, and of what shares are */
	const char *label; /* column that names columns, bars or rows */
	const char *group; /* column of panels, or of divisions; NULL for none */
	const char *flag;  /* of WL_CHART_COLUMNS: a column of BOOL, marked where true; or NULL */
	const char *parts[WL_CHART_PARTS]; /* columns of numbers of one type; NULL ends */
	/* Written behind a bar of WL_CHART_BARS, or at the end of a row of WL_CHART_RANGES. */
	const char *also[WL_CHART_ALSO];
	bool ranked;      /* of WL_CHART_BARS: the largest first, not in the order of rows */
	bool by_group;    /* of WL_CHART_BARS: the group has the colour, not the label */
	bool wide;        /* wants the whole width of a page */
	const char *says; /* of WL_CHART_HEAT: what a value is, behind it: "late" */
	/* Of WL_CHART_BARS: */
	/* Bars are the mean over the values of this column; their parts have numbers. */
	const char *mean_over;
	const char *named[WL_CHART_NAMED]; /* columns that name a bar beside its label */
	const struct wl_chart_rest *rest;  /* NULL for none */
	bool pivot; /* a table below: groups by bars, with totals, in one unit */
	const struct wl_chart_members *members; /* NULL: not recorded */
};

#endif
