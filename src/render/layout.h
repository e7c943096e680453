/* layout.h - how the columns of a view share the width of a terminal. */
#ifndef WL_RENDER_LAYOUT_H
#define WL_RENDER_LAYOUT_H

#include "render/render.h"

enum { WL_COL_GAP = 2 }; /* spaces between columns */

struct wl_layout {
	uint16_t cols[WL_MAX_COLS]; /* of the table, those shown */
	size_t width[WL_MAX_COLS];  /* of each, in terminal columns */
	size_t n_cols;
	uint16_t left_out[WL_MAX_COLS];
	size_t n_left_out;
};

/*
 * Fit the view into opts->width. Steps, each only while it does not fit: shrink
 * text to 24, leave out minor columns from the right unless the user chose the
 * columns, shrink text to 8. What is still too wide stays too wide.
 */
void wl_layout_fit(const struct wl_view *view, const struct wl_render_opts *opts,
		   struct wl_layout *ret_layout);

#endif
