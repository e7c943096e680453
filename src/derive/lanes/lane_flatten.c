/* SPDX-License-Identifier: MIT */
/*
 * lane_flatten.c - merges the events of several lanes into one.
 *
 * Events are taken in order of start from a heap of the next event of each lane. An earlier event
 * keeps its time up to its end; what remains of each event is its part after the latest end so far.
 */
#include "derive/lanes/lane.h"

struct head {
	wl_ns start; /* start of the lane's next event */
	uint32_t lane, next;
};

static bool before(const struct head *a, const struct head *b)
{
	return a->start < b->start || (a->start == b->start && a->lane < b->lane);
}

static void sift_down(struct head *heap, size_t n, size_t at)
{
	struct head moved = heap[at];

	for (size_t child = 2 * at + 1; child < n; child = 2 * at + 1) {
		if (child + 1 < n && before(&heap[child + 1], &heap[child]))
			child++;
		if (!before(&heap[child], &moved))
			break;
		heap[at] = heap[child];
		at = child;
	}
	heap[at] = moved;
}

static bool fill_heap(const struct wl_lanes *lanes, struct wl_vec *heap)
{
	for (size_t l = 0; l < lanes->n; l++) {
		const struct wl_lane *lane = &lanes->lane[l];

		if (lane->n > 0)
			wl_vec_push(heap, &(struct head){ lane->start[0], (uint32_t)l, 0 });
	}
	for (size_t k = heap->n / 2; k-- > 0;)
		sift_down(heap->data, heap->n, k);
	return !heap->failed;
}

/* Take the next event of all lanes; the following event of its lane takes its place. */
static struct wl_lane_event pop_first(const struct wl_lanes *lanes, struct head *heap, size_t *n)
{
	const struct wl_lane *lane = &lanes->lane[heap->lane];
	size_t i = heap->next++;
	struct wl_lane_event event = { lane->start[i], wl_lane_end(lane, i), lane->ref[i],
				       lane->cat[i] };

	if (heap->next < lane->n)
		heap->start = lane->start[heap->next];
	else
		heap[0] = heap[--*n];
	if (*n > 0)
		sift_down(heap, *n, 0);
	return event;
}

bool wl_lanes_flatten(const struct wl_lanes *lanes, struct wl_budget *budget, struct wl_lanes *ret)
{
	size_t n_cats = lanes->n > 0 ? lanes->lane[0].n_cats : 1;
	struct wl_lane_builder builder;
	struct wl_vec heap;
	wl_ns covered = INT64_MIN;
	bool ok;

	wl_lane_builder_init(&builder, n_cats, budget);
	wl_vec_init(&heap, sizeof(struct head), budget);
	ok = fill_heap(lanes, &heap);
	for (size_t n = heap.n; ok && n > 0;) {
		struct wl_lane_event event = pop_first(lanes, heap.data, &n);

		if (event.start < covered) {
			if (event.end <= covered)
				continue;
			event.start = covered;
		}
		covered = event.end;
		ok = wl_lane_add(&builder, &event, 0) != WL_NONE;
	}
	wl_vec_release(&heap);
	if (!ok) {
		wl_lane_builder_drop(&builder);
		return false;
	}
	return wl_lanes_finish(&builder, ret);
}
