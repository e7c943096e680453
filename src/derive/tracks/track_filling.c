/* SPDX-License-Identifier: MIT */
/* track_filling.c - passes on the events of a row, with a fixed order for those that start
 * together. */
#include "base/memory/sort.h"
#include "derive/tracks/tracks_inside.h"

struct events {
	const struct wl_lane_event *at;
};

/*
 * If events start together, the longest goes first: it gets the upper lane and contains the others.
 */
static bool longer(const void *ctx, uint32_t a, uint32_t b)
{
	const struct events *e = ctx;

	return e->at[a].end > e->at[b].end;
}

uint32_t wl_filling_add(struct wl_filling *f, const struct wl_lane_event *event,
			uint32_t lowest_lane)
{
	if (!f->visit)
		return wl_lane_add(&f->builder, event, lowest_lane);
	f->visit(f->ctx, event);
	return WL_NONE;
}

static void add(struct wl_filling *f, const struct wl_lane_event *event)
{
	(void)wl_filling_add(f, event, 0); /* a builder's failure is sticky */
}

void wl_filling_flush(struct wl_filling *f)
{
	const struct wl_lane_event *event = f->together.data;
	size_t n = f->together.n;
	uint32_t *order;

	/* Nearly always only one event waits: no sort and no allocation. */
	if (n == 0) {
		if (f->has_waiting)
			add(f, &f->waiting);
		f->has_waiting = false;
		return;
	}
	f->order.n = 0;
	order = wl_vec_extend(&f->order, 2 * n);
	if (order)
		wl_sort_all(order, n, longer, &(struct events){ event });
	for (size_t i = 0; order && i < n; i++)
		add(f, &event[order[i]]);
	f->together.n = 0;
	f->has_waiting = false;
}

void wl_filling_put(struct wl_filling *f, const struct wl_lane_event *event)
{
	if (f->has_waiting && f->waiting.start == event->start) {
		if (f->together.n == 0)
			wl_vec_push(&f->together, &f->waiting);
		wl_vec_push(&f->together, event);
		return;
	}
	wl_filling_flush(f);
	f->waiting = *event;
	f->has_waiting = true;
}
