/* SPDX-License-Identifier: MIT */
#include "serve/shown/merged.h"

bool wl_merged_init(struct wl_merged *merged, const struct wl_show *show, struct wl_arena *arena)
{
	size_t n = wl_show_rows(show);

	merged->lanes = WL_NEW(arena, struct wl_lanes, n + 1);
	merged->is_made = WL_NEW(arena, atomic_bool, n + 1);
	merged->n = merged->lanes && merged->is_made ? n : 0;
	return merged->lanes && merged->is_made;
}

void wl_merged_release(struct wl_merged *merged)
{
	for (size_t i = 0; i < merged->n; i++)
		wl_lanes_release(&merged->lanes[i]);
	*merged = (struct wl_merged){ .n = 0 };
}

/* The lanes of the streams under a GPU's row. */
static size_t streams_of(const struct wl_scene *scene, size_t gpu, const struct wl_lanes **ret)
{
	size_t n = 0;

	for (size_t t = 0; t < scene->tracks.n; t++) {
		const struct wl_track *track = &scene->tracks.at[t];

		if (wl_holds(track) == WL_HOLDS_OPS && track->parent == gpu)
			ret[n++] = &scene->lanes[t];
	}
	return n;
}

bool wl_merged_make(struct wl_merged *merged, const struct wl_show *show, size_t row,
		    struct wl_arena *arena, struct wl_budget *budget)
{
	size_t track, n;
	const struct wl_scene *scene = show->scene[wl_show_find(show, row, &track)];
	const struct wl_lanes **streams;

	if (atomic_load(&merged->is_made[row]))
		return true;
	streams = WL_NEW(arena, const struct wl_lanes *, scene->tracks.n);
	if (!streams)
		return false;
	n = streams_of(scene, track, streams);
	if (!wl_lanes_merge(streams, n, WL_TRACK_CATS, budget, &merged->lanes[row]))
		return false;
	atomic_store(&merged->is_made[row], true);
	return true;
}

const struct wl_lanes *wl_merged_lanes(const struct wl_merged *merged, size_t row)
{
	static const struct wl_lanes none;
	bool is_made = row < merged->n && atomic_load(&merged->is_made[row]);

	return is_made ? &merged->lanes[row] : &none;
}
