/* SPDX-License-Identifier: MIT */
/*
 * range_around.h - the shortest range around an NVTX range on its thread, of either kind.
 *
 * Where the forest has start/end ranges below push/pop ranges and nothing below them, this places
 * push/pop ranges in start/end ranges as well, as "nsys stats" does. Of ranges of one length a
 * push/pop range is around a start/end range, and an earlier one around a later one.
 */
#ifndef WL_DERIVE_RANGE_AROUND_H
#define WL_DERIVE_RANGE_AROUND_H

#include "derive/nvtx/spans.h"

/*
 * A row of the nvtx family; WL_NONE for none. Of more than WL_MAX_AROUND start/end ranges around
 * it, or push/pop ranges that cross, the last begun count.
 */
uint32_t wl_range_around_node(const struct wl_trace *trace, const struct wl_forest *forest,
			      const struct wl_spans *spans, uint32_t node);

/* The same of an index of forest->span. A range that ended on another thread has none. */
uint32_t wl_range_around_span(const struct wl_trace *trace, const struct wl_forest *forest,
			      const struct wl_spans *spans, uint32_t index);

#endif
