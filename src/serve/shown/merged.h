/* SPDX-License-Identifier: MIT */
/*
 * merged.h - all streams of a GPU as one row in the fewest lanes, made on the first request.
 *
 * Such a row has the number of the GPU's row behind all rows of the page. Its lanes are made
 * on the line of the traces (served.h), one after the other, and stay; anybody may look at them
 * meanwhile.
 */
#ifndef WL_SERVE_MERGED_H
#define WL_SERVE_MERGED_H

#include <stdatomic.h>

#include "serve/shown/show.h"

struct wl_merged {
	size_t n; /* rows of the page */
	/* By GPU row: its lanes, and whether they are made. */
	struct wl_lanes *lanes;
	atomic_bool *is_made;
};

/* Owned by the arena. False when that is exhausted. Release before the arena. */
bool wl_merged_init(struct wl_merged *merged, const struct wl_show *show,
		    struct wl_arena *arena) WL_MUST_CHECK;
void wl_merged_release(struct wl_merged *merged); /* accepts a zeroed one */

/*
 * Make the lanes of a GPU row, once; false without memory. Charged to the budget, which must
 * outlive them; the arena is for scratch. On the thread of the line only. A logarithm of the
 * streams' lanes per event.
 */
bool wl_merged_make(struct wl_merged *merged, const struct wl_show *show, size_t row,
		    struct wl_arena *arena, struct wl_budget *budget) WL_MUST_CHECK;

/* The lanes of a GPU row; none before they are made. */
const struct wl_lanes *wl_merged_lanes(const struct wl_merged *merged, size_t row);

#endif
