/* SPDX-License-Identifier: MIT */
/* sums.c - the time account of a range, by exact sums of lanes. */
#include "scene/details.h"

/* How much of a range lies before the first and after the last event of a lane. */
static wl_ns unused_in(const struct wl_lane *lane, struct wl_interval range)
{
	wl_ns first, last;

	if (!lane || lane->n == 0)
		return range.end - range.begin;
	first = lane->start[0];
	last = wl_lane_end(lane, lane->n - 1);
	if (range.end <= first || range.begin >= last)
		return range.end - range.begin;
	return (range.begin < first ? first - range.begin : 0) +
	       (range.end > last ? range.end - last : 0);
}

static void add_device(const struct wl_scene *scene, uint32_t device, struct wl_range_sums *sums)
{
	uint32_t gpu = wl_track_of_device(&scene->tracks, WL_HOLDS_GPU_TIME, device);
	uint32_t gaps = wl_track_of_device(&scene->tracks, WL_HOLDS_GAPS, device);
	const struct wl_lane *busy = wl_scene_lane(scene, gpu);
	const struct wl_lane *waits = NULL;
	wl_ns of_class[WL_MAX_LANE_CATS] = { 0 }, of_gap[WL_MAX_LANE_CATS] = { 0 };
	wl_ns length = sums->range.end - sums->range.begin, used = 0, idle;

	if (busy)
		used = wl_lane_time(busy, sums->range.begin, sums->range.end, of_class);
	if (gaps != WL_NONE && wl_has_causes(scene))
		waits = wl_scene_lane(scene, gaps);
	if (waits)
		(void)wl_lane_time(waits, sums->range.begin, sums->range.end, of_gap);
	idle = length - used;
	sums->unused += unused_in(busy, sums->range);
	sums->n_devices++;
	sums->length += length;
	sums->compute += of_class[WL_COMPUTE];
	sums->exposed_comm += of_class[WL_COMM];
	sums->exposed_copy += of_class[WL_COPY];
	sums->idle += idle;
	for (int c = 0; c <= WL_CAUSE_HOST; c++) {
		sums->cause[c] += of_gap[WL_GAP_OF_CAUSE + c];
		/*
		 * Causes cover every gap between two operations. What is left of the idle time lies
		 * before the first and after the last one.
		 */
		idle -= of_gap[WL_GAP_OF_CAUSE + c];
	}
	/*
	 * Before the stage CAUSES all idle time ends up here; has_causes then says that the causes
	 * do not count.
	 */
	sums->cause[WL_CAUSE_UNUSED] += idle;
}

void wl_range_sums_of(const struct wl_scene *scene, uint32_t device, struct wl_interval range,
		      struct wl_range_sums *ret)
{
	*ret = (struct wl_range_sums){ .range = range,
				       .has_causes = wl_has_causes(scene) && scene->tracks.idle };
	for (size_t i = 0; i < scene->tracks.n; i++) {
		const struct wl_track *track = &scene->tracks.at[i];

		if (wl_holds(track) == WL_HOLDS_GPU_TIME &&
		    (device == WL_NONE || track->device == device))
			add_device(scene, track->device, ret);
	}
}
