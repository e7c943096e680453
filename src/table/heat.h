/* SPDX-License-Identifier: MIT */
/*
 * heat.h - a table as a heat map: a row per subject, such as a rank, a column per step, and a
 * value in each cell. Pages, terminals and browsers draw it from here.
 *
 * A map that is larger than its picture is folded: a cell of the picture is then the largest of
 * the cells that fell into it. Values have levels at round numbers, and each level an ink: one of
 * those that known/palette.h has for heat maps, from the palest to the strongest.
 */
#ifndef WL_TABLE_HEAT_H
#define WL_TABLE_HEAT_H

#include "base/text/units.h"
#include "table/chart.h"
#include "table/view.h"

enum { WL_HEAT_INKS = 6 };

struct wl_heat_subject {
	int64_t device;
	int64_t rank; /* < 0: unknown */
};

struct wl_heat_item {
	uint32_t subject;
	int64_t step;
	int64_t value; /* >= 0 */
};

struct wl_heat {
	const struct wl_heat_subject *subject; /* in the order of the table */
	size_t n_subjects;
	const struct wl_heat_item *item; /* the same */
	size_t n_items;
	int64_t first, last; /* steps */
	int64_t pace;        /* from one level to the next: 1, 2 or 5 times a power of ten */
	unsigned n_levels;   /* at least 2, at most WL_HEAT_INKS */
	const char *says;    /* of the chart */
};

/* Whether there is something to draw: a value above 0 in a step. */
bool wl_heat_has(const struct wl_table *t, const struct wl_chart *chart);

/*
 * Read the rows of a view, which has to have something to draw, as a chart of WL_CHART_HEAT names
 * its columns. Sorts them; owned by the arena, false without memory.
 *
 * The last level begins at the 99th percentile of the values or below, so that one extreme does not
 * hide the others; but at no less than a twentieth of the median step: what hardly matters stays
 * pale.
 */
bool wl_heat_read(const struct wl_view *view, const struct wl_chart *chart, struct wl_arena *arena,
		  struct wl_heat *ret) WL_MUST_CHECK;

/* The level of a value; level i begins at i * pace. And the ink of a level. */
unsigned wl_heat_level(const struct wl_heat *heat, int64_t value);
unsigned wl_heat_ink(const struct wl_heat *heat, unsigned level);

/* A picture of it. */
struct wl_heat_fold {
	size_t n_rows, n_cols;
	size_t per_row;       /* subjects in a row */
	uint64_t per_col;     /* steps in a column */
	const uint32_t *cell; /* by row and column: the item; WL_NO_ROW: there is none */
};

/* Into at most so many rows and columns, each at least 1; false without memory. */
bool wl_heat_fold(const struct wl_heat *heat, size_t rows, size_t cols, struct wl_arena *arena,
		  struct wl_heat_fold *ret) WL_MUST_CHECK;

static inline uint32_t wl_heat_cell(const struct wl_heat_fold *fold, size_t row, size_t col)
{
	return fold->cell[row * fold->n_cols + col];
}

enum { WL_HEAT_TEXT = 160 };

/* What a row and a column are of: "rank 3", "GPUs 0-15"; "step 12", "steps 10-19". Return buf. */
const char *wl_heat_row_name(const struct wl_heat *heat, const struct wl_heat_fold *fold,
			     size_t row, char buf[WL_HEAT_TEXT]);
const char *wl_heat_col_name(const struct wl_heat *heat, const struct wl_heat_fold *fold,
			     size_t col, char buf[WL_HEAT_TEXT]);

/* "rank 3, step 12: 6.92 ms late". Returns buf. */
const char *wl_heat_say(const struct wl_heat *heat, uint32_t item, enum wl_timeunit unit,
			char buf[WL_HEAT_TEXT]);

/* What a folded picture says of its cells, a sentence; empty where it is not folded. */
const char *wl_heat_fold_note(const struct wl_heat_fold *fold, char buf[WL_HEAT_TEXT]);

#endif
