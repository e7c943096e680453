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

/*
 * Linear in rows, which are streams and threads and not events: hundreds at most in a usual
 * trace.
 */
uint32_t wl_device_track(const struct wl_scene *scene, enum wl_track_kind kind, uint32_t device)
{
	for (size_t i = 0; device != WL_NONE && i < scene->tracks.n; i++) {
		if (scene->tracks.at[i].kind == kind && scene->tracks.at[i].device == device)
			return (uint32_t)i;
	}
	return WL_NONE;
}

const struct wl_process_iters *wl_device_iters(const struct wl_scene *scene, uint32_t device)
{
	uint32_t track = wl_device_track(scene, WL_TRACK_ITERATIONS, device);
	const struct wl_process_iters *iters;

	if (track == WL_NONE || scene->tracks.at[track].process == WL_NONE)
		return NULL;
	iters = &scene->tracks.iterations->process[scene->tracks.at[track].process];
	return iters->n > 0 ? iters : NULL;
}
