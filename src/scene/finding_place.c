/* SPDX-License-Identifier: MIT */
#include "scene/finding_place.h"

#include "findings/sight.h"

/* The lane of a row of a device; NULL for none. */
static const struct wl_lane *lane_of(const struct wl_scene *scene, enum wl_holds holds,
				     uint32_t device)
{
	uint32_t track = wl_track_of_device(&scene->tracks, holds, device);

	return track == WL_NONE ? NULL : wl_scene_lane(scene, track);
}

/* Where the longest event of these categories starts. The first of equally long ones. */
static wl_ns longest(const struct wl_lane *lane, uint32_t cats)
{
	wl_ns most = -1, at = WL_NO_TIME;

	for (size_t i = 0; i < lane->n; i++) {
		wl_ns length = wl_lane_end(lane, i) - lane->start[i];

		if (cats >> lane->cat[i] & 1 && length > most) {
			most = length;
			at = lane->start[i];
		}
	}
	return at;
}

/* The steady iteration of the device's process, the first where none counts as that. */
static wl_ns steady(const struct wl_scene *scene, uint32_t device)
{
	const struct wl_process_iters *iters = wl_device_iters(scene, device);

	if (!iters)
		return WL_NO_TIME;
	return iters->at[iters->steady == WL_NONE ? 0 : iters->steady].tile.begin;
}

wl_ns wl_finding_place(const struct wl_scene *scene, const char *code, uint32_t device,
		       enum wl_holds *ret_row)
{
	const struct wl_lane *gaps = lane_of(scene, WL_HOLDS_GAPS, device);
	const struct wl_lane *iterations = lane_of(scene, WL_HOLDS_ITERATIONS, device);
	const struct wl_lane *gpu = lane_of(scene, WL_HOLDS_GPU_TIME, device);
	const struct wl_sight sight = wl_finding_sight(code);
	const uint32_t cats = wl_gap_cats(sight.losses);
	wl_ns at = WL_NO_TIME;

	/*
	 * From the most telling place to the least: a gap that the finding is about, the slowest
	 * step, a usual step, the beginning of the work.
	 */
	if (cats && gaps)
		at = longest(gaps, cats);
	*ret_row = at != WL_NO_TIME ? WL_HOLDS_GAPS : WL_HOLDS_OPS;
	if (at == WL_NO_TIME && iterations && sight.slowest)
		at = longest(iterations, UINT32_MAX);
	if (at == WL_NO_TIME)
		at = steady(scene, device);
	if (at == WL_NO_TIME && gpu && gpu->n > 0)
		at = gpu->start[0];
	return at;
}
