/* SPDX-License-Identifier: MIT */
#include "scene/scene.h"

const struct wl_lane *wl_scene_lane(const struct wl_scene *scene, size_t track)
{
	if (!scene->lanes || track >= scene->tracks.n)
		return NULL;
	/*
	 * A flat lane exists only where there are several lanes; otherwise the only lane is flat
	 * already.
	 */
	if (scene->flat[track].n > 0)
		return &scene->flat[track].lane[0];
	return scene->lanes[track].n > 0 ? &scene->lanes[track].lane[0] : NULL;
}

const struct wl_process_iters *wl_device_iters(const struct wl_scene *scene, uint32_t device)
{
	uint32_t track = wl_track_of_device(&scene->tracks, WL_HOLDS_ITERATIONS, device);
	const struct wl_process_iters *iters;

	if (track == WL_NONE || scene->tracks.at[track].process == WL_NONE)
		return NULL;
	iters = &scene->tracks.iterations->process[scene->tracks.at[track].process];
	return iters->n > 0 ? iters : NULL;
}
