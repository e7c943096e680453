/* SPDX-License-Identifier: MIT */
/* layout.h - distributes the width of a terminal over the columns of a view. */
#ifndef WL_RENDER_LAYOUT_H
#define WL_RENDER_LAYOUT_H

#include "render/render.h"

struct wl_spelling;

enum {
	WL_COL_GAP = 2,    /* spaces between columns */
	WL_LEVEL_STEP = 2, /* and per level in the names of a tree */
};

struct wl_layout {
	uint16_t cols[WL_MAX_COLS]; /* of the table, those shown */
	size_t width[WL_MAX_COLS];  /* of each, in terminal columns */
	size_t n_cols;
	size_t indent;    /* the most that levels of a tree may take of the column of names */
	bool two_lines;   /* some titles are broken at a space */
	bool is_too_wide; /* columns that the user chose do not fit beside each other */
	uint16_t left_out[WL_MAX_COLS];
	size_t n_left_out;
};

/*
 * Fit the view into opts->width. Steps, each only while it does not fit: break titles in
 * two lines; shrink text to 24 instead; do both; leave out a minor column from the right, or one
 * that is empty in four fifths of the rows, and try again; leave out one that is neither a key nor
 * an answer (WL_ANSWER); shrink text to 8; leave out any column from the right but the first.
 * Until the last two steps the text of an answer keeps 32 columns, or 24 of less than 80. In a
 * tree, columns are left out before a name shrinks below 24 beside its levels. Of columns that the
 * user chose none is left out. Names that were asked for whole are not shrunk.
 *
 * Levels of a tree take at most half of a column of names that had to shrink, so that
 * a name keeps the other half however deep it is.
 */
void wl_layout_fit(const struct wl_spelling *spelling, const struct wl_render_opts *opts,
		   struct wl_layout *ret_layout);

/* Where a title is broken in two lines of about the same width: at this space; 0: it has none. */
size_t wl_layout_break(const char *title);

#endif
