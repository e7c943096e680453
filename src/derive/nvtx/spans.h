/* SPDX-License-Identifier: MIT */
/*
 * spans.h - start/end ranges of one thread, and those around a call.
 *
 * They may cross each other in any way, and all that contain a call own it. Ranges that began and
 * ended on different threads own nothing and are left out.
 */
#ifndef WL_DERIVE_SPANS_H
#define WL_DERIVE_SPANS_H

#include "derive/nvtx/forest.h"

/* Numbered by thread, start, longer first. */
struct wl_spans {
	size_t n;
	const uint32_t *index; /* of forest->span */
	const wl_ns *start;
	struct wl_jumps up;    /* to the nearest earlier span that contains it */
	const uint32_t *below; /* the last earlier span that had not ended when it began */
	const struct wl_slice *of_thread;
};

/* False when the arena is exhausted. Linear except for ordering spans that start together. */
bool wl_spans_find(const struct wl_trace *trace, const struct wl_forest *forest,
		   struct wl_arena *arena, struct wl_spans *ret) WL_MUST_CHECK;

/*
 * The spans of the thread that contain all of [start, end), last begun first: WL_NONE past the
 * last. A step is logarithmic in the nesting depth, and the first one also in the spans.
 */
uint32_t wl_spans_around(const struct wl_spans *spans, uint32_t thread, wl_ns start, wl_ns end);
uint32_t wl_spans_next(const struct wl_spans *spans, uint32_t span, wl_ns end);

#endif
