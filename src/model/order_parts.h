/* SPDX-License-Identifier: MIT */
/*
 * order_parts.h - declarations that the parts of ordering a family share.
 *
 * order.c looks at the rows and counts those of each owner; deal.c brings the rows
 * of an owner together; settle.c sorts what is out of order among them.
 */
#ifndef WL_MODEL_ORDER_PARTS_H
#define WL_MODEL_ORDER_PARTS_H

#include "model/build.h"

/*
 * Tasks are stretches of that many rows, or of twice as many and so on. Elements of
 * every size fill whole pages with that many, so that each task can release its
 * own.
 */
#define WL_TASK_ROWS ((size_t)1 << 16)

struct wl_ordering {
	struct wl_build *build;
	struct wl_arena *arena; /* for the tasks of the pool; charged to the build */
	enum wl_family_id family;
	struct wl_build_family *f;
	const uint32_t *rank; /* by place or thread: the position of its owner among all */
	size_t n_owners;
	size_t n_tasks, task_rows;
	/*
	 * By task and owner: the owner's rows in the task, and then where the first of
	 * them goes. By owner: where its rows begin; the last entry is the end.
	 */
	uint32_t *count;
	uint32_t *bound;
};

/* The columns by which rows are compared. Of long lengths only those that concern the rows. */
struct wl_order_keys {
	const wl_ns *start;
	const uint32_t *dur; /* NULL where rows have no length */
	bool by_length;      /* those that start together are ordered by length */
	struct wl_family longs;
};

struct wl_order_keys wl_ordering_keys(const struct wl_ordering *o);

/* True when the row a of an owner must come before its row b, wherever they stand. */
static inline bool wl_row_less(const struct wl_order_keys *k, size_t a, size_t b)
{
	if (k->start[a] != k->start[b])
		return k->start[a] < k->start[b];
	return k->by_length && wl_dur(&k->longs, k->dur, a) < wl_dur(&k->longs, k->dur, b);
}

/* The first entry of the family's long lengths that is of this row or a later one. */
size_t wl_longs_from(const struct wl_build_family *f, size_t row);

/* Bring each owner's rows together, in the order they have. False without memory: nothing moved. */
bool wl_ordering_deal(struct wl_ordering *o) WL_MUST_CHECK;

/* Sort the rows of each owner. False without memory: some may be sorted. */
bool wl_ordering_settle(struct wl_ordering *o) WL_MUST_CHECK;

#endif
