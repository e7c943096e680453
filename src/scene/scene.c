/* SPDX-License-Identifier: MIT */
#include "scene/scene.h"

const struct wl_lane *wl_scene_lane(const struct wl_scene *data, size_t track)
{
	if (!data->lanes || track >= data->tracks.n)
		return NULL;
	if (data->flat[track].n > 0)
		return &data->flat[track].lane[0];
	return data->lanes[track].n > 0 ? &data->lanes[track].lane[0] : NULL;
}

uint32_t wl_device_track(const struct wl_scene *data, enum wl_track_kind kind, uint32_t device)
{
	for (size_t i = 0; device != WL_NONE && i < data->tracks.n; i++) {
		if (data->tracks.at[i].kind == kind && data->tracks.at[i].device == device)
			return (uint32_t)i;
	}
	return WL_NONE;
}

const struct wl_process_iters *wl_device_iters(const struct wl_scene *data, uint32_t device)
{
	uint32_t track = wl_device_track(data, WL_TRACK_ITERATIONS, device);
	const struct wl_process_iters *iters;

	if (track == WL_NONE || data->tracks.at[track].process == WL_NONE)
		return NULL;
	iters = &data->tracks.iterations->process[data->tracks.at[track].process];
	return iters->n > 0 ? iters : NULL;
}
