/* SPDX-License-Identifier: MIT */
/*
 * outermost.h - finds the outermost host row of an owner that surrounds a moment.
 *
 * Rows of a family are dealt into lists, one per owner (a thread, a process, a kind of call of a
 * thread), in nesting order: by start, longer first, then row. In that order the first row that has
 * not ended is the outermost, so a reader that queries in order of time needs one forward-moving
 * position per list.
 */
#ifndef WL_DERIVE_OUTERMOST_H
#define WL_DERIVE_OUTERMOST_H

#include "base/attr.h"
#include "base/memory/arena.h"
#include "derive/rows/slices.h"
#include "model/trace.h"

struct wl_outer_lists {
	const struct wl_family *family;
	const wl_ns *start;
	const uint32_t *dur;
	const uint32_t *row;         /* the rows of all lists */
	const struct wl_slice *list; /* by list: indexes of row */
};

/* The list a row belongs to, WL_NONE for none. Must answer the same on both visits. */
typedef uint32_t wl_list_fn(const void *ctx, size_t row);

/* How to deal the rows of a family into lists. */
struct wl_list_deal {
	enum wl_family_id family;
	size_t n_lists;
	wl_list_fn *list_of;
	const void *ctx;
};

/*
 * The family must be ordered by thread; without its start, dur and thread columns the lists are
 * empty. Owned by the arena; false when that is exhausted. Linear if the rows of each list come in
 * order.
 */
bool wl_outer_lists_make(const struct wl_trace *trace, const struct wl_list_deal *by,
			 struct wl_arena *arena, struct wl_outer_lists *ret) WL_MUST_CHECK;

static inline wl_ns wl_outer_end(const struct wl_outer_lists *l, uint32_t row)
{
	return l->start[row] + wl_dur(l->family, l->dur, row);
}

/* True when a comes before b in nesting order. */
static inline bool wl_is_outer(const struct wl_outer_lists *l, uint32_t a, uint32_t b)
{
	if (l->start[a] != l->start[b])
		return l->start[a] < l->start[b];
	if (wl_outer_end(l, a) != wl_outer_end(l, b))
		return wl_outer_end(l, a) > wl_outer_end(l, b);
	return a < b;
}

/*
 * The row of a list around t, or WL_NONE. left is the rest of the list: at first a copy of it, then
 * what the previous query left. t must not go back. *until is lowered to the time at which the
 * answer changes. All queries together are linear.
 */
static inline uint32_t wl_outermost_at(const struct wl_outer_lists *l, struct wl_slice *left,
				       wl_ns t, wl_ns *until)
{
	wl_ns change;
	uint32_t row;

	while (left->lo < left->hi && wl_outer_end(l, l->row[left->lo]) <= t)
		left->lo++;
	if (left->lo == left->hi)
		return WL_NONE;
	row = l->row[left->lo];
	change = l->start[row] > t ? l->start[row] : wl_outer_end(l, row);
	*until = change < *until ? change : *until;
	return l->start[row] > t ? WL_NONE : row;
}

#endif
