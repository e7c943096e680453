/* SPDX-License-Identifier: MIT */
/* track_fill.c - fills the lanes of a row with the function of its kind. */
#include "derive/tracks/tracks_inside.h"
#include "known/palette.h"

_Static_assert((int)WL_TRACK_CATS == (int)WL_N_COLOURS, "a category per colour");
_Static_assert((int)WL_N_GAP_CATS <= (int)WL_MAX_LANE_CATS, "the lane of gaps has room");

bool wl_fill_nothing(struct wl_filling *f)
{
	(void)f;
	return true;
}

/* Produce the events of the row. The members before the builder are set, and so is what takes the
 * events. */
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
	wl_filling_flush(f);
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
	enum wl_holds holds = wl_holds(&tracks->at[track]);
	bool ok;

	*ret = (struct wl_lanes){ .n = 0 };
	if (holds == WL_HOLDS_LEVELS)
		wl_lane_builder_init_levels(&f.builder, WL_TRACK_CATS, budget);
	else
		wl_lane_builder_init(
			&f.builder, holds == WL_HOLDS_GAPS ? WL_N_GAP_CATS : WL_TRACK_CATS, budget);
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
