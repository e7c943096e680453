/* SPDX-License-Identifier: MIT */
/*
 * range_work.h - the GPU work of each NVTX range: from the first start to the last end of the
 * operations launched inside it, which is the range projected on the GPU.
 *
 * An operation belongs to all push/pop and start/end ranges around its launch call on the call's
 * thread, also where these cross each other.
 */
#ifndef WL_DERIVE_RANGE_WORK_H
#define WL_DERIVE_RANGE_WORK_H

#include "derive/nvtx/spans.h"
#include "derive/rows/scope.h"

struct wl_range_work {
	wl_ns first, last; /* first > last for none */
	uint32_t ops;
	uint32_t launches; /* calls that launched them: a graph launch is one, of many operations */
};

/* Add operations, end once, then read; the arrays are the arena's. */
struct wl_range_works {
	struct wl_range_work *node; /* by node of the forest */
	struct wl_range_work *span; /* by index of forest->span */

	/* Private. */
	const struct wl_trace *trace;
	const struct wl_forest *forest;
	struct wl_spans spans;
	struct wl_range_work *crossed; /* by node: what no range inside it passes on */
	bool *launched;                /* by API row */
};

/* False without memory. */
bool wl_range_works_begin(const struct wl_trace *trace, const struct wl_forest *forest,
			  struct wl_arena *arena, struct wl_range_works *ret) WL_MUST_CHECK;

/*
 * The part [start, end) of an operation that the call launched. A walk up the ranges around the
 * call only where ranges of the thread cross each other; of these the innermost WL_MAX_AROUND.
 */
void wl_range_works_add(struct wl_range_works *works, uint32_t call, wl_ns start, wl_ns end);

/* Pass on to each range what the ranges inside it have. Linear. */
void wl_range_works_end(struct wl_range_works *works);

/*
 * All operations that the scope admits. Needs LINKS, the columns of the forest and those of
 * operations. False without memory.
 */
bool wl_range_works_find(const struct wl_derived *derived, const struct wl_scope *scope,
			 struct wl_arena *arena, struct wl_range_works *ret) WL_MUST_CHECK;

#endif
