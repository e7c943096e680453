/* SPDX-License-Identifier: MIT */
/* nccl.h - the time that threads spend inside NCCL calls, according to NVTX. */
#ifndef WL_DERIVE_NCCL_H
#define WL_DERIVE_NCCL_H

#include "base/attr.h"
#include "base/memory/arena.h"
#include "model/trace.h"

struct wl_derived;

/*
 * Push/pop ranges of the domain NCCL, or named like an NCCL call, ordered by thread, start, longer
 * first, then row. reach is the latest end of any such range of the thread up to this one: it
 * decides in one step whether an interval is inside a range.
 */
struct wl_nccl_ranges {
	size_t n;
	const uint32_t *thread;
	const uint32_t *name; /* number in wl_range_names */
	const wl_ns *start, *end, *reach;
};

/* Linear except for ordering ranges that start together. False when the arena is exhausted. */
bool wl_nccl_ranges_find(const struct wl_derived *derived, struct wl_arena *arena,
			 struct wl_nccl_ranges *ret) WL_MUST_CHECK;

/* True when some range of the thread contains [start, end]. Logarithmic. */
bool wl_nccl_contains(const struct wl_trace *trace, const struct wl_nccl_ranges *ranges,
		      uint32_t thread, wl_ns start, wl_ns end);

/*
 * A walk over calls in row order that finds the innermost range around each. The stack holds the
 * ranges of the thread that are still candidates. Their ends fall towards the top, because a range
 * that a later one outlasts is never the innermost again.
 */
struct wl_nccl_around {
	const struct wl_trace *trace;
	const struct wl_nccl_ranges *ranges;
	uint32_t *open; /* ranges */
	size_t n;
	size_t next; /* first range not looked at yet */
	uint32_t thread;
	wl_ns until; /* end of the call that is queried */
};

/* False when the arena, which must outlive it, is exhausted. */
bool wl_nccl_around_init(struct wl_nccl_around *around, const struct wl_trace *trace,
			 const struct wl_nccl_ranges *ranges, struct wl_arena *arena) WL_MUST_CHECK;

/*
 * The innermost range around [start, end] of the thread, or WL_NONE. start must not be before that
 * of the previous query. All queries together are linear in ranges, plus a logarithm each.
 */
uint32_t wl_nccl_around_find(struct wl_nccl_around *around, uint32_t thread, wl_ns start,
			     wl_ns end);

#endif
