/* SPDX-License-Identifier: MIT */
/*
 * range_work.h - the GPU work of each NVTX range: from the first start to the last end of the
 * operations launched inside it, which is the range projected on the GPU.
 *
 * An operation belongs to all push/pop and start/end ranges around its launch call on the call's
 * thread, even if these cross each other.
 */
#ifndef WL_DERIVE_RANGE_WORK_H
#define WL_DERIVE_RANGE_WORK_H

#include "derive/nvtx/spans.h"
#include "derive/rows/scope.h"

struct wl_range_work {
	wl_ns first, last; /* first > last for none */
	uint32_t ops;
	uint32_t launches; /* calls that launched them: one graph launch has many operations */
};

/* Add operations, end once, then read. The arena owns the arrays. */
struct wl_range_works {
	struct wl_range_work *node; /* by node of the forest */
	struct wl_range_work *span; /* by index of forest->span */

	/* Private. */
	const struct wl_trace *trace;
	const struct wl_forest *forest;
	struct wl_spans spans;
	struct wl_range_work *crossed; /* by node: what is not passed on to ranges around it */
	bool *launched;                /* by API row */
};

/* False if out of memory. */
bool wl_range_works_begin(const struct wl_trace *trace, const struct wl_forest *forest,
			  struct wl_arena *arena, struct wl_range_works *ret) WL_MUST_CHECK;

/*
 * Add the part [start, end) of an operation that the call launched. Walks up the ranges around the
 * call only if ranges of the thread cross each other, at most the innermost WL_MAX_AROUND.
 */
void wl_range_works_add(struct wl_range_works *works, uint32_t call, wl_ns start, wl_ns end);

/* Add to each range what the ranges inside it have. Linear. */
void wl_range_works_end(struct wl_range_works *works);

/*
 * Add all operations that the scope admits. Needs LINKS, the columns of the forest and those of
 * operations. False if out of memory.
 */
bool wl_range_works_find(const struct wl_derived *derived, const struct wl_scope *scope,
			 struct wl_arena *arena, struct wl_range_works *ret) WL_MUST_CHECK;

#endif
