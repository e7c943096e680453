/* SPDX-License-Identifier: MIT */
/*
 * spelling.h - the cells of a view as people see them: kernels by labels (known/kernels/labels.h),
 * every name cut so that different names of a column never look alike (known/kernels/cuts.h), and
 * numbers in the figures of their column (figures.h).
 */
#ifndef WL_RENDER_SPELLING_H
#define WL_RENDER_SPELLING_H

#include <stdint.h>

#include "base/memory/arena.h"
#include "render/words/figures.h"

/* A column of names: which of the distinct ones a row has, and how these are shown. */
struct wl_spelling_col {
	const uint32_t *of_row; /* by row of the view; WL_NONE where the cell is unset */
	const char **text;      /* NULL: names are shown as they are */
	const uint32_t *level;  /* of each in a tree, as far as it is indented; NULL elsewhere */
	const bool *kernel;     /* which of them are kernels; NULL: none */
	size_t n;
};

struct wl_spelling {
	const struct wl_view *view;
	struct wl_arena arena;
	struct wl_spelling_col col[WL_MAX_COLS]; /* by column of the table */
	struct wl_figures figures[WL_MAX_COLS];  /* the same */
	bool micro; /* write the micro sign instead of u; set by who can show it */
};

/*
 * Find the labels and figures of the view, which must outlive it. Without memory names are shown as
 * they are. Release in any case. Costs a look at every cell of names, and sorts the distinct ones.
 */
void wl_spelling_init(struct wl_spelling *spelling, const struct wl_view *view,
		      enum wl_timeunit unit);
void wl_spelling_release(struct wl_spelling *spelling);

/* How a column is cut. */
struct wl_spelling_width {
	size_t width;  /* terminal columns */
	size_t step;   /* of these for each level of a tree, */
	size_t indent; /* at most so many */
	bool ascii;
};

/* Cut the names of a column of the table. Prose and whole names are left alone. */
void wl_spelling_cut(struct wl_spelling *spelling, size_t col, const struct wl_spelling_width *to);

/* The cell of a column in a row of the view, in words and units. */
const char *wl_spelling_cell(const struct wl_spelling *spelling, size_t row, size_t col,
			     char buf[WL_UNITS_BUF]);

#endif
