/* SPDX-License-Identifier: MIT */
/*
 * timeline_shown.c - the lanes on the screen: filtered, or with all streams of a GPU in one.
 *
 * Without a filter they are the scene's lanes. With one, a row's lanes are made when it is first
 * drawn, so a filter costs only what is on the screen.
 */
#include "tui/timeline/timeline.h"

#include "scene/details.h"
#include "tui/timeline/timeline_parts.h"

struct shown {
	bool made;
	struct wl_lanes lanes, flat;
};

struct wl_timeline_shown {
	struct shown *at; /* by track */
};

bool wl_timeline_shown_make(struct wl_timeline *t)
{
	t->filter.shown = WL_NEW(&t->arena, struct wl_timeline_shown, 1);
	if (t->filter.shown)
		t->filter.shown->at =
			WL_NEW(&t->arena, struct shown, wl_timeline_scene(t)->tracks.n + 1);
	return t->filter.shown && t->filter.shown->at;
}

void wl_timeline_refilter(struct wl_timeline *t)
{
	size_t n = t->filter.shown && t->filter.shown->at ? wl_timeline_scene(t)->tracks.n : 0;

	for (size_t i = 0; i < n; i++) {
		struct shown *s = &t->filter.shown->at[i];

		if (!s->made)
			continue;
		wl_lanes_release(&s->lanes);
		wl_lanes_release(&s->flat);
		*s = (struct shown){ 0 };
	}
}

void wl_timeline_shown_drop(struct wl_timeline *t)
{
	wl_timeline_refilter(t);
	t->filter.shown = NULL;
}

static bool is_filtered(const struct wl_timeline *t, const struct wl_row_kind *kind)
{
	const struct wl_track_filter *f = &t->filter.active;

	return (f->min_dur > 0 || f->kernel_name_on || f->hides_other_ops || f->muted != 0) &&
	       wl_row_is_filtered(kind);
}

/* ---- All streams of a GPU in order of start: a heap of lanes by their next event ---- */

struct feed {
	const struct wl_lane *lane;
	size_t next;
};

static bool feeds_before(const struct feed *a, const struct feed *b)
{
	wl_ns start_a = a->lane->start[a->next], start_b = b->lane->start[b->next];

	return start_a != start_b ? start_a < start_b
				  : wl_lane_end(a->lane, a->next) > wl_lane_end(b->lane, b->next);
}

static void sift(struct feed *heap, size_t n, size_t at)
{
	for (;;) {
		size_t least = at;
		struct feed moved;

		for (size_t child = 2 * at + 1; child <= 2 * at + 2 && child < n; child++)
			if (feeds_before(&heap[child], &heap[least]))
				least = child;
		if (least == at)
			return;
		moved = heap[at];
		heap[at] = heap[least];
		heap[least] = moved;
		at = least;
	}
}

static bool add_feeds(struct wl_timeline *t, uint32_t gpu, struct wl_vec *feeds)
{
	const struct wl_tracks *tracks = &wl_timeline_scene(t)->tracks;

	for (uint32_t i = 0; i < tracks->n; i++) {
		const struct wl_lanes *lanes;

		if (wl_holds(&tracks->at[i]) != WL_HOLDS_OPS ||
		    tracks->at[i].device != tracks->at[gpu].device)
			continue;
		lanes = wl_timeline_lanes(t, i);
		for (size_t k = 0; lanes && k < lanes->n; k++)
			if (lanes->lane[k].n > 0)
				wl_vec_push(feeds, &(struct feed){ &lanes->lane[k], 0 });
	}
	return !feeds->failed;
}

static bool merge(struct wl_timeline *t, uint32_t gpu, struct wl_budget *budget,
		  struct wl_lanes *ret)
{
	struct wl_lane_builder builder;
	struct wl_vec feeds;
	struct feed *heap;
	bool done = false;
	size_t n;

	wl_vec_init(&feeds, sizeof(struct feed), budget);
	wl_lane_builder_init(&builder, WL_TRACK_CATS, budget);
	if (add_feeds(t, gpu, &feeds)) {
		heap = feeds.data;
		n = feeds.n;
		for (size_t i = n; i-- > 0;)
			sift(heap, n, i);
		while (n > 0) {
			const struct wl_lane *lane = heap->lane;
			size_t i = heap->next++;
			struct wl_lane_event event = { lane->start[i], wl_lane_end(lane, i),
						       lane->ref[i], lane->cat[i] };

			if (wl_lane_add(&builder, &event, 0) == WL_NONE)
				break;
			if (heap->next == lane->n)
				heap[0] = heap[--n];
			sift(heap, n, 0);
		}
		done = wl_lanes_finish(&builder, ret);
	}
	wl_lane_builder_drop(&builder);
	wl_vec_release(&feeds);
	return done;
}

static const struct shown *get(struct wl_timeline *t, uint32_t track)
{
	const struct wl_tracks *tracks = &wl_timeline_scene(t)->tracks;
	struct wl_budget *budget = wl_app_options(t->app)->budget;
	struct shown *s = &t->filter.shown->at[track];
	bool is_done;

	if (s->made)
		return s;
	s->made = true;
	is_done = wl_holds(&tracks->at[track]) == WL_HOLDS_GPU_TIME
			  ? merge(t, track, budget, &s->lanes)
			  : wl_track_fill(tracks, track, &t->filter.active, budget, &s->lanes);
	if (is_done && s->lanes.n > 1)
		is_done = wl_lanes_flatten(&s->lanes, budget, &s->flat);
	if (!is_done)
		wl_app_say(t->app, "no memory for the events of a row");
	return s;
}

/* Whether a row differs from the scene's. */
static bool is_made(const struct wl_timeline *t, uint32_t track)
{
	const struct wl_row_kind *kind = wl_row_kind(&wl_timeline_scene(t)->tracks.at[track]);

	return t->filter.shown &&
	       (is_filtered(t, kind) || (t->rows.merged && kind->holds == WL_HOLDS_GPU_TIME));
}

const struct wl_lanes *wl_timeline_lanes(struct wl_timeline *t, uint32_t track)
{
	const struct wl_scene *scene = wl_timeline_scene(t);
	const struct wl_lanes *lanes;

	if (!wl_timeline_is_ready(t) ||
	    (wl_row_is_late(wl_row_kind(&scene->tracks.at[track])) && !wl_has_causes(scene)))
		return NULL;
	lanes = is_made(t, track) ? &get(t, track)->lanes : &scene->lanes[track];
	return lanes->n > 0 ? lanes : NULL;
}

const struct wl_lane *wl_timeline_lane(struct wl_timeline *t, uint32_t track)
{
	const struct wl_lanes *lanes = wl_timeline_lanes(t, track);
	const struct wl_lanes *flat;

	if (!lanes)
		return NULL;
	flat = is_made(t, track) ? &get(t, track)->flat : &wl_timeline_scene(t)->flat[track];
	return flat->n > 0 ? &flat->lane[0] : &lanes->lane[0];
}
