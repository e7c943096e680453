/* SPDX-License-Identifier: MIT */
/* track_fill.c - one row's lanes: whose fill it is, and events that start together. */
#include "base/sort.h"
#include "derive/tracks/tracks_inside.h"
#include "known/palette.h"

_Static_assert((int)WL_TRACK_CATS == (int)WL_N_COLOURS, "a category per colour");
_Static_assert((int)WL_N_GAP_CATS <= (int)WL_MAX_LANE_CATS, "the lane of gaps has room");

struct events {
	const struct wl_lane_event *at;
};

/*
 * Of events that start together the longest is put first, so that it gets the upper lane and
 * holds the others.
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

/* Add those that wait. */
static void flush(struct wl_filling *f)
{
	const struct wl_lane_event *event = f->together.data;
	size_t n = f->together.n;
	uint32_t *order;

	/* One event waits, as nearly always: no sort, and no allocation. */
	if (n == 0) {
		if (f->has_waiting)
			add(f, &f->waiting);
		f->has_waiting = false;
		return;
	}
	f->order.n = 0;
	order = wl_vec_extend(&f->order, 2 * n);
	for (uint32_t i = 0; order && i < n; i++)
		order[i] = i;
	if (order)
		wl_sort_index(order, n, order + n, longer, &(struct events){ event });
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
	flush(f);
	f->waiting = *event;
	f->has_waiting = true;
}

bool wl_fill_nothing(struct wl_filling *f)
{
	(void)f;
	return true;
}

/* Have the events of the row come; members before the builder are set, and the sink. */
static bool run(struct wl_filling *f, struct wl_budget *budget)
{
	static wl_fill_fn *const fills[WL_N_TRACK_KINDS] = {
#define WL_TRACK(KIND, key, of, holds, family, names, fill, ...) [WL_TRACK_##KIND] = wl_fill_##fill,
#include "derive/tracks/tracks.def"
#undef WL_TRACK
	};
	bool ok;

	wl_arena_init_on(&f->scratch, budget);
	wl_vec_init(&f->together, sizeof(struct wl_lane_event), budget);
	wl_vec_init(&f->order, sizeof(uint32_t), budget);
	ok = fills[f->tracks->at[f->track].kind](f);
	flush(f);
	ok = ok && !f->together.failed && !f->order.failed;
	wl_vec_release(&f->order);
	wl_vec_release(&f->together);
	wl_arena_release(&f->scratch);
	return ok;
}

bool wl_track_fill(const struct wl_tracks *tracks, size_t track,
		   const struct wl_track_filter *filter, struct wl_budget *budget,
		   struct wl_lanes *ret)
{
	struct wl_filling f = { .tracks = tracks, .track = track, .filter = filter };
	bool is_gaps = wl_holds(&tracks->at[track]) == WL_HOLDS_GAPS, ok;

	*ret = (struct wl_lanes){ .n = 0 };
	wl_lane_builder_init(&f.builder, is_gaps ? WL_N_GAP_CATS : WL_TRACK_CATS, budget);
	ok = run(&f, budget) && wl_lanes_finish(&f.builder, ret);
	wl_lane_builder_drop(&f.builder);
	return ok;
}

bool wl_track_visit(const struct wl_tracks *tracks, size_t track,
		    const struct wl_track_filter *filter, struct wl_budget *budget,
		    wl_track_visit_fn *fn, void *ctx)
{
	struct wl_filling f = {
		.tracks = tracks, .track = track, .filter = filter, .visit = fn, .ctx = ctx
	};

	return run(&f, budget);
}
