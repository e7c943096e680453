/* SPDX-License-Identifier: MIT */
/*
 * tree_display.h - the presentation of the tree: the values of its columns, its rows and their
 * order. Pure: a model goes in, numbers and texts come out.
 */
#ifndef WL_TUI_TREE_DISPLAY_H
#define WL_TUI_TREE_DISPLAY_H

#include "tui/tree/tree_model.h"

/* What the tree measures: key w. */
enum wl_tree_measure { WL_TREE_GPU, WL_TREE_WALL, WL_TREE_EXPOSED, WL_N_TREE_MEASURES };
/* The unit: key %. */
enum wl_tree_unit { WL_TREE_MS, WL_TREE_PERCENT, WL_TREE_PER_CALL, WL_N_TREE_UNITS };

/* On a narrow screen columns give way from the last to the first. */
enum wl_tree_col {
	WL_TREE_COL_PATH,
	WL_TREE_COL_MEASURE,
	WL_TREE_COL_SHARE, /* of the measure in the whole window */
	WL_TREE_COL_SELF,  /* part of the GPU time that was launched in no range inside */
	WL_TREE_COL_CALLS,
	WL_TREE_COL_WALL,    /* wall time; of operations, which have none, the median */
	WL_TREE_COL_START,   /* chronological mode only, where CALLS, P99 and P50 say nothing */
	WL_TREE_COL_DELTA,   /* change of the median in the second trace */
	WL_TREE_COL_P99,     /* of single calls */
	WL_TREE_COL_P50,     /* of them */
	WL_TREE_COL_EXPOSED, /* communication not hidden by compute */
	WL_TREE_COL_BRIDGED, /* GPU time that other threads launched meanwhile */
	WL_TREE_COL_OPS,
	WL_N_TREE_COLS_SHOWN
};

struct wl_tree_display {
	const struct wl_tree_model *model;
	const struct wl_tree_model *second; /* NULL for none */
	const uint32_t *match;              /* by node: the second trace's node, WL_NONE for none */
	enum wl_tree_measure measure;
	enum wl_tree_unit unit;
	enum wl_tree_col sort;
	bool is_reversed;
	bool hides_ops;
	wl_ns min; /* rows below this in the measure are hidden; operations below this in GPU time
		    */
};

/* Divisor of times: iterations in the window when aggregated; 1 if there are none. */
size_t wl_tree_divisor(const struct wl_tree_model *model);

/* The measure of a node, summed over the window, and that of everything. */
wl_ns wl_tree_measured(const struct wl_tree_display *s, const struct wl_tree_figures *is);

/* Whether a column exists here: DELTA needs a second trace, others a mode. */
bool wl_tree_col_exists(const struct wl_tree_display *s, enum wl_tree_col col);

enum { WL_TREE_CELL = 48 }; /* bytes of a cell's text */

int wl_tree_col_width(enum wl_tree_col col);       /* width in cells; for PATH the minimum */
const char *wl_tree_col_key(enum wl_tree_col col); /* "self": a word for lists and states */
const char *wl_tree_col_title(const struct wl_tree_display *s, enum wl_tree_col col,
			      char buf[WL_TREE_CELL]);
/* The cell of a node; "-" where the node has no such figure. Not of PATH. */
const char *wl_tree_cell(const struct wl_tree_display *s, enum wl_tree_col col, uint32_t node,
			 char buf[WL_TREE_CELL]);

/*
 * The number by which rows are sorted; not for PATH and START. Nodes without the figure sort below
 * all that have it.
 */
double wl_tree_value(const struct wl_tree_display *s, enum wl_tree_col col, uint32_t node);

/* Whether the second trace's median deserves a mark: 1 longer, -1 shorter, 0 about the same. */
int wl_tree_change(const struct wl_tree_display *s, uint32_t node);

/* Unit of the columns that print none: milliseconds, or microseconds in a short window. */
struct wl_tree_scale {
	double ns;        /* ns per unit */
	const char *unit; /* "ms" */
};
struct wl_tree_scale wl_tree_scale(const struct wl_tree_model *model);
/* A length with its unit: "160us", "2.18ms". */
const char *wl_tree_length(wl_ns ns, char buf[WL_TREE_CELL]);

/*
 * The visible rows, as nodes: those whose ancestors are all open, or every node with
 * WL_TREE_EVERYTHING. False if memory runs out.
 */
enum wl_tree_extent { WL_TREE_OPEN_ONES, WL_TREE_EVERYTHING };
bool wl_tree_rows(const struct wl_tree_display *s, enum wl_tree_extent extent,
		  struct wl_vec *ret) WL_MUST_CHECK;

#endif
