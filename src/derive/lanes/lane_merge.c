/* SPDX-License-Identifier: MIT */
/*
 * lane_merge.c - merges rows into the fewest lanes. Their lanes are walked in parallel, the next
 * event always coming from the top of a heap; the builder does the rest.
 */
#include "derive/lanes/lane.h"

/* A lane being walked, and the position in it. */
struct head {
	const struct wl_lane *lane;
	size_t i;      /* the next event */
	size_t number; /* of the lane, counted over all rows */
};

/* The order that the builder requires: by start, on a tie the longer first, then by lane. */
static bool is_before(const struct head *x, const struct head *y)
{
	wl_ns x_start = x->lane->start[x->i], y_start = y->lane->start[y->i];
	wl_ns x_dur, y_dur;

	if (x_start != y_start)
		return x_start < y_start;
	x_dur = wl_lane_dur(x->lane, x->i);
	y_dur = wl_lane_dur(y->lane, y->i);
	return x_dur != y_dur ? x_dur > y_dur : x->number < y->number;
}

static void sink(struct head *heap, size_t n, size_t i)
{
	struct head moved;

	if (i >= n)
		return;
	moved = heap[i];
	for (size_t child = 2 * i + 1; child < n; child = 2 * i + 1) {
		if (child + 1 < n && is_before(&heap[child + 1], &heap[child]))
			child++;
		if (!is_before(&heap[child], &moved))
			break;
		heap[i] = heap[child];
		i = child;
	}
	heap[i] = moved;
}

static bool put_heads(const struct wl_lanes *const *row, size_t n, struct wl_vec *heap)
{
	size_t number = 0;

	for (size_t r = 0; r < n; r++) {
		for (size_t k = 0; k < row[r]->n; k++, number++) {
			if (row[r]->lane[k].n > 0)
				wl_vec_push(heap, &(struct head){ &row[r]->lane[k], 0, number });
		}
	}
	for (size_t i = heap->n / 2 + 1; i-- > 0;)
		sink(heap->data, heap->n, i);
	return !heap->failed;
}

static void add_all(struct wl_vec *heap, struct wl_lane_builder *b)
{
	struct head *top = heap->data;
	size_t n = heap->n;

	while (n > 0 && !b->failed) {
		const struct wl_lane *l = top->lane;
		size_t i = top->i++;

		(void)wl_lane_add(b,
				  &(struct wl_lane_event){ l->start[i], wl_lane_end(l, i),
							   l->ref[i], l->cat[i] },
				  0);
		if (top->i == l->n)
			*top = top[--n];
		sink(top, n, 0);
	}
}

bool wl_lanes_merge(const struct wl_lanes *const *row, size_t n, size_t n_cats,
		    struct wl_budget *budget, struct wl_lanes *ret)
{
	struct wl_lane_builder b;
	struct wl_vec heap;
	bool ok;

	wl_vec_init(&heap, sizeof(struct head), budget);
	wl_lane_builder_init(&b, n_cats, budget);
	ok = put_heads(row, n, &heap);
	if (ok)
		add_all(&heap, &b);
	wl_vec_release(&heap);
	if (ok)
		return wl_lanes_finish(&b, ret);
	wl_lane_builder_drop(&b);
	return false;
}
