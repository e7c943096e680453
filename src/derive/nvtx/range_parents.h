/* SPDX-License-Identifier: MIT */
/*
 * range_parents.h - the parent of each NVTX range, as the tree lists them.
 *
 * A push/pop range is below its parent in the forest, a start/end range of one thread below the
 * innermost push/pop range that contains it. Start/end ranges have nothing below them.
 */
#ifndef WL_DERIVE_RANGE_PARENTS_H
#define WL_DERIVE_RANGE_PARENTS_H

#include "derive/nvtx/forest.h"

/*
 * The innermost node that contains a start/end range; WL_NONE for none, and for a range that began
 * and ended on different threads. Logarithmic.
 */
uint32_t wl_span_parent(const struct wl_trace *trace, const struct wl_forest *forest,
			uint32_t nvtx_row);

/*
 * By NVTX row: the row of its parent range; WL_NONE for the outermost ranges and for marks. Owned
 * by the arena, NULL when that is exhausted. Linear in ranges except for wl_span_parent().
 */
const uint32_t *wl_range_parents_find(const struct wl_trace *trace, const struct wl_forest *forest,
				      struct wl_arena *arena) WL_MUST_CHECK;

#endif
