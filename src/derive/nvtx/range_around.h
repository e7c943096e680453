/* SPDX-License-Identifier: MIT */
/*
 * range_around.h - the shortest range, of either kind, around an NVTX range on its thread.
 *
 * The forest has start/end ranges below push/pop ranges and nothing below start/end ranges. This
 * also places push/pop ranges inside start/end ranges, as "nsys stats" does. If lengths are equal,
 * a push/pop range is around a start/end range, and an earlier range around a later one.
 */
#ifndef WL_DERIVE_RANGE_AROUND_H
#define WL_DERIVE_RANGE_AROUND_H

#include "derive/nvtx/spans.h"

/*
 * A row of the nvtx family; WL_NONE for none. At most WL_MAX_AROUND start/end ranges around it, or
 * crossing push/pop ranges, count: those begun last.
 */
uint32_t wl_range_around_node(const struct wl_trace *trace, const struct wl_forest *forest,
			      const struct wl_spans *spans, uint32_t node);

/* The same for an index of forest->span. A range that ended on another thread has none. */
uint32_t wl_range_around_span(const struct wl_trace *trace, const struct wl_forest *forest,
			      const struct wl_spans *spans, uint32_t index);

#endif
