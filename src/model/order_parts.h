/* SPDX-License-Identifier: MIT */
/*
 * order_parts.h - declarations shared by the sources that order a family.
 *
 * order.c surveys the rows and counts those of each owner; deal.c groups rows by owner; settle.c
 * sorts the rows that are out of order within an owner.
 */
#ifndef WL_MODEL_ORDER_PARTS_H
#define WL_MODEL_ORDER_PARTS_H

#include "model/build.h"

/*
 * A task is a stretch of this many rows, or twice as many, and so on. With this many rows, elements
 * of every size fill whole pages, so that each task can release its own pages.
 */
#define WL_TASK_ROWS ((size_t)1 << 16)

struct wl_ordering {
	struct wl_build *build;
	struct wl_arena *arena; /* for the tasks of the pool; charged to the build */
	enum wl_family_id family;
	struct wl_build_family *f;
	const uint32_t *rank; /* by place or thread: its owner's position among all owners */
	size_t n_owners;
	size_t n_tasks, task_rows;
	/*
	 * count, by task and owner: the owner's rows in the task, later the position of the first
	 * of them. bound, by owner: where its rows begin; the last entry is the end.
	 */
	uint32_t *count;
	uint32_t *bound;
};

/* The columns by which rows are compared. longs holds only the long lengths of these rows. */
struct wl_order_keys {
	const wl_ns *start;
	const uint32_t *dur; /* NULL where rows have no length */
	bool by_length;      /* rows with the same start are ordered by length */
	struct wl_family longs;
};

struct wl_order_keys wl_ordering_keys(const struct wl_ordering *o);

/* True if an owner's row a must come before its row b, whatever their positions. */
static inline bool wl_row_less(const struct wl_order_keys *k, size_t a, size_t b)
{
	if (k->start[a] != k->start[b])
		return k->start[a] < k->start[b];
	return k->by_length && wl_dur(&k->longs, k->dur, a) < wl_dur(&k->longs, k->dur, b);
}

/* The first entry of the family's long lengths for this row or a later one. */
size_t wl_longs_from(const struct wl_build_family *f, size_t row);

/* Group rows by owner, keeping their order. False if out of memory: then nothing has moved. */
bool wl_ordering_deal(struct wl_ordering *o) WL_MUST_CHECK;

/* Sort the rows of each owner. False if out of memory: then some may be sorted. */
bool wl_ordering_settle(struct wl_ordering *o) WL_MUST_CHECK;

#endif
