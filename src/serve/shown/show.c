/* SPDX-License-Identifier: MIT */
#include "serve/shown/show.h"

#include "known/exports/codes.h"

#include <assert.h>

size_t wl_show_first_row(const struct wl_show *show, size_t scene)
{
	size_t row = 0;

	for (size_t i = 0; i < scene; i++)
		row += show->scene[i]->tracks.n;
	return row;
}

enum wl_range_style wl_range_style(const struct wl_scene *scene, uint32_t nvtx_row)
{
	uint8_t kind = wl_nvtx_kind(scene->trace)[nvtx_row];

	if (wl_nvtx_is_push_pop(kind))
		return WL_STYLE_PUSH_POP;
	return wl_nvtx_is_range(kind) ? WL_STYLE_START_END : WL_STYLE_MARK;
}

size_t wl_show_rows(const struct wl_show *show)
{
	return wl_show_first_row(show, show->n);
}

size_t wl_show_first_process(const struct wl_show *show, size_t scene)
{
	size_t n = 0;

	for (size_t i = 0; i < scene; i++)
		n += show->scene[i]->trace->n_processes;
	return n;
}

size_t wl_show_first_device(const struct wl_show *show, size_t scene)
{
	size_t n = 0;

	for (size_t i = 0; i < scene; i++)
		n += show->scene[i]->trace->n_devices;
	return n;
}

size_t wl_show_find(const struct wl_show *show, size_t row, size_t *ret_track)
{
	size_t i = 0;

	/* Linear in traces, of which a page has at most eight. */
	while (i + 1 < show->n && row >= show->scene[i]->tracks.n)
		row -= show->scene[i++]->tracks.n;
	assert(row < show->scene[i]->tracks.n);
	*ret_track = row;
	return i;
}

struct wl_interval wl_show_extent(const struct wl_show *show, size_t scene)
{
	const struct wl_scene *s = show->scene[scene];

	return show->in_window ? s->window : s->tracks.extent;
}

wl_ns wl_show_origin(const struct wl_show *show, size_t scene)
{
	/* The extent and not the window, so that addresses of a page do not depend on --window. */
	return show->scene[scene]->tracks.extent.begin;
}

struct wl_shown_events wl_show_events(const struct wl_show *show, size_t scene,
				      const struct wl_lane *lane)
{
	const struct wl_interval window = wl_show_extent(show, scene);
	struct wl_shown_events r = { 0, lane->n };

	if (!show->in_window)
		return r;
	r.lo = wl_lane_from(lane, window.begin);
	r.hi = wl_lane_from(lane, window.end);
	if (r.lo > 0 && wl_lane_end(lane, r.lo - 1) > window.begin)
		r.lo--;
	return r;
}

uint64_t wl_show_count(const struct wl_show *show, size_t scene, size_t track)
{
	const struct wl_lanes *lanes = &show->scene[scene]->lanes[track];
	uint64_t n = 0;

	for (size_t i = 0; i < lanes->n; i++) {
		const struct wl_shown_events e = wl_show_events(show, scene, &lanes->lane[i]);

		n += e.hi - e.lo;
	}
	return n;
}

uint64_t wl_show_count_all(const struct wl_show *show)
{
	uint64_t n = 0;

	for (size_t s = 0; s < show->n; s++) {
		for (size_t t = 0; t < show->scene[s]->tracks.n; t++)
			n += wl_show_count(show, s, t);
	}
	return n;
}
