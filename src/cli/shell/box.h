/* SPDX-License-Identifier: MIT */
/*
 * box.h - the result of a statement in a box, or a line per cell.
 *
 * A box has names and types of columns above the rows. Of many rows it shows the first and the
 * last; where columns do not fit, texts are cut, then columns are left out before the last one.
 */
#ifndef WL_CLI_BOX_H
#define WL_CLI_BOX_H

#include "render/render.h"

struct wl_box_opts {
	struct wl_render_opts look; /* width, timeunit, bold and ascii */
	size_t rows;                /* shown at most; 0: all */
	bool has_more;              /* the result was cut: there are rows behind the table's last */
};

void wl_box_print(const struct wl_table *table, const struct wl_box_opts *opts, FILE *out);

/* "name = value", values as programs get them, an empty line between rows. */
void wl_box_print_lines(const struct wl_table *table, FILE *out);

#endif
