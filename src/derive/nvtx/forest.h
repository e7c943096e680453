/* SPDX-License-Identifier: MIT */
/*
 * forest.h - NVTX ranges as trees, thread by thread, and the innermost range around each call.
 *
 * Push/pop ranges are the nodes, numbered in nesting order: by thread, start, longer first, then
 * row. The parent of a range is the nearest range of its thread that contains it; a range that
 * crosses another, as ranges of two domains may, is its sibling. A parent has a smaller number than
 * its children, and the nodes below a node follow it: walking the numbers backwards propagates sums
 * to the roots.
 *
 * Start/end ranges may begin and end anywhere: they are spans, never parents.
 */
#ifndef WL_DERIVE_FOREST_H
#define WL_DERIVE_FOREST_H

#include "base/attr.h"
#include "base/memory/arena.h"
#include "derive/nvtx/jumps.h"
#include "derive/rows/slices.h"
#include "model/trace.h"

struct wl_derived;

struct wl_forest {
	size_t n;             /* nodes */
	const uint32_t *row;  /* by node: row of the nvtx family */
	const uint32_t *name; /* by node: number in wl_range_names */
	const wl_ns *start, *end;
	const uint32_t *parent; /* node, WL_NONE for a root */
	struct wl_jumps up;     /* for long walks; up.depth is a node's depth */
	const uint32_t *below;  /* by node: the last earlier node that had not ended when it began;
				   the parent, unless ranges cross or touch */
	const struct wl_slice *nodes; /* by thread: its nodes */
	const bool *crosses;          /* by thread: some of its nodes cross each other */
	size_t n_spans;               /* start/end ranges */
	const uint32_t *span;         /* rows of the spans, in the order of the nvtx family */
	const struct wl_slice *spans; /* by thread that began them: indexes of span */
	const struct wl_slice *calls; /* by thread: rows of the api family */
	const uint32_t *of_call;      /* by API row: the innermost node of the thread that
					 contains the whole call, WL_NONE for none */
	const uint32_t *anchor;       /* by process: its anchor thread, WL_NONE for none */
	const uint32_t
		*above; /* by API row: for a call on a thread other than the process's anchor, the
			   last node open on the anchor when the call starts; else WL_NONE */
};

/*
 * The forest of all domains. Linear except for ordering ranges that start together; threads in
 * parallel. False when the arena is exhausted. It is empty without NVTX rows; the arrays by call
 * are empty without API rows.
 */
bool wl_forest_find(const struct wl_derived *derived, struct wl_arena *arena,
		    struct wl_forest *ret) WL_MUST_CHECK;

/* The forest of the ranges of one domain ("" for the default one). Not kept in derived. */
bool wl_forest_of_domain(const struct wl_derived *derived, const char *domain,
			 struct wl_arena *arena, struct wl_forest *ret) WL_MUST_CHECK;

/*
 * All nodes of a thread that are open at a time t, innermost first. The first is
 * forest->above[call], or wl_forest_open_at(); WL_NONE past the last. If ranges cross, there are
 * more of them than the ancestors of the first. A step is logarithmic in the nesting depth, however
 * many ranges cross; open_at is also logarithmic in the nodes.
 */
uint32_t wl_forest_open_at(const struct wl_forest *forest, uint32_t thread, wl_ns t);
uint32_t wl_forest_open_next(const struct wl_forest *forest, uint32_t node, wl_ns t);

/*
 * At most this many ranges around a launch count, from the innermost out. Programs nest a few
 * dozen; without a bound, a program that forgets to pop, or a hostile trace, would make every walk
 * as long as the trace.
 */
enum { WL_MAX_AROUND = 1024 };

/*
 * All nodes around a call, innermost first: forest->of_call[call] is the first, and each step asks
 * for the next with the call's end; WL_NONE past the last. If ranges cross, there are more of them
 * than the ancestors of the first. Costs as much as open_next, and nothing extra if no ranges
 * cross.
 */
static inline uint32_t wl_forest_around_next(const struct wl_forest *forest, uint32_t node,
					     wl_ns end)
{
	uint32_t next = forest->below[node];

	return next == forest->parent[node] ? next : wl_jumps_lasting(&forest->up, next, end);
}

/* The innermost node of a thread that contains all of [start, end); WL_NONE for none. Costs as much
 * as open_at. */
uint32_t wl_forest_around(const struct wl_forest *forest, uint32_t thread, wl_ns start, wl_ns end);

/* True when a start/end range ended on the thread that began it: only then does it own launches. */
bool wl_span_is_on_one_thread(const struct wl_trace *trace, uint32_t nvtx_row);

#endif
