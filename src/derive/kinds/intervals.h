/* SPDX-License-Identifier: MIT */
/*
 * intervals.h - sets of nanoseconds, as sorted half-open intervals that neither touch nor overlap.
 */
#ifndef WL_DERIVE_INTERVALS_H
#define WL_DERIVE_INTERVALS_H

#include "base/attr.h"
#include "base/memory/arena.h"
#include "derive/rows/scope.h"

struct wl_intervals {
	size_t n;
	const struct wl_interval *at; /* in order */
	const wl_ns *before;          /* n + 1: the length of all earlier ones */
};

static inline wl_ns wl_intervals_length(const struct wl_intervals *set)
{
	return set->before[set->n];
}

/* How much of [begin, end) the set covers. Logarithmic in the set. */
wl_ns wl_intervals_covered(const struct wl_intervals *set, wl_ns begin, wl_ns end);

/*
 * The union of n intervals in order of their start, ignoring empty ones; the intersection of two
 * sets; the difference a minus b. Owned by the arena; false when that is exhausted. Linear.
 */
bool wl_intervals_union(const struct wl_interval *list, size_t n, struct wl_arena *arena,
			struct wl_intervals *ret) WL_MUST_CHECK;
/* A copy, sorted by begin; NULL when the arena is exhausted. */
struct wl_interval *wl_intervals_sort(const struct wl_interval *list, size_t n,
				      struct wl_arena *arena) WL_MUST_CHECK;
/* The union of intervals in any order; sorts them first. */
bool wl_intervals_unite(const struct wl_interval *list, size_t n, struct wl_arena *arena,
			struct wl_intervals *ret) WL_MUST_CHECK;
bool wl_intervals_intersect(const struct wl_intervals *a, const struct wl_intervals *b,
			    struct wl_arena *arena, struct wl_intervals *ret) WL_MUST_CHECK;
bool wl_intervals_subtract(const struct wl_intervals *a, const struct wl_intervals *b,
			   struct wl_arena *arena, struct wl_intervals *ret) WL_MUST_CHECK;

/*
 * The intervals in which operations of a device that the scope admits are under way. Linear in the
 * device's operations. If scope is NULL, all operations count and nothing is clipped.
 */
bool wl_intervals_of_device(const struct wl_trace *trace, const struct wl_scope *scope,
			    uint32_t device, struct wl_arena *arena,
			    struct wl_intervals *ret) WL_MUST_CHECK;

#endif
