/* SPDX-License-Identifier: MIT */
#include "serve/answers/colour_by.h"

#include "known/palette.h"
#include "scene/details.h"

int wl_ask_colour_by(const struct wl_ask *ask, enum wl_colour_by *ret, struct wl_err *reterr)
{
	static const char *const words[] = {
		[WL_COLOUR_BY_CATEGORY] = "category",
		[WL_COLOUR_BY_NAME] = "name",
		[WL_COLOUR_BY_NVTX] = "nvtx",
		[WL_COLOUR_BY_DURATION] = "duration",
		[WL_COLOUR_BY_STREAM] = "stream",
		[WL_BY_RANGE] = "range",
		NULL,
	};
	size_t word = 0;
	int r = wl_query_word(ask->query, "by", words, &word, reterr);

	if (r == WL_OK)
		*ret = (enum wl_colour_by)word;
	return r;
}

/* The name of the innermost range around a call, or its ref. */
static uint32_t range_of_call(const struct wl_served *served, const struct wl_asked_row *row,
			      uint32_t call, enum wl_colour_by by)
{
	const struct wl_scene *s = row->scene;
	bool is_bridged;
	uint32_t node = wl_node_of_call(s, call, &is_bridged), nvtx, track;

	if (node == WL_NONE)
		return WL_NONE;
	nvtx = s->forest->row[node];
	if (by == WL_BY_RANGE)
		return wl_track_ref(WL_F_NVTX, nvtx);
	track = wl_track_of_thread(&s->tracks, WL_F_NVTX, wl_nvtx_thread(s->trace)[nvtx]);
	if (track == WL_NONE)
		return WL_NONE;
	return wl_names_of(&served->names, row->row - row->track + track,
			   wl_track_ref(WL_F_NVTX, nvtx), WL_COLOUR_NEUTRAL);
}

static uint32_t range_of(const struct wl_served *served, const struct wl_asked_row *row,
			 const struct wl_lane *lane, size_t i, enum wl_colour_by by)
{
	const struct wl_scene *s = row->scene;
	const struct wl_row_kind *kind = wl_row_kind(&s->tracks.at[row->track]);
	uint32_t ref = lane->ref[i];

	if (kind->holds == WL_HOLDS_OPS) {
		struct wl_track_op op = wl_track_op_of(ref);

		return range_of_call(served, row, wl_link_of(s->links, op.kind, op.row), by);
	}
	if (kind->family == WL_F_API)
		return range_of_call(served, row,
				     wl_track_event_of(&s->tracks, row->track, ref).row, by);
	if (kind->family == WL_F_NVTX)
		return by == WL_BY_RANGE ? ref
					 : wl_names_of(&served->names, row->row, ref, lane->cat[i]);
	return WL_NONE;
}

uint32_t wl_colour_value(const struct wl_served *served, const struct wl_asked_row *row,
			 const struct wl_lane *lane, size_t i, enum wl_colour_by by)
{
	const struct wl_asked_row own = wl_asked_row_of(served, row, lane, i);
	wl_ns dur;

	switch (by) {
	case WL_COLOUR_BY_NAME:
		return wl_names_of(&served->names, own.row, lane->ref[i], lane->cat[i]);
	case WL_COLOUR_BY_NVTX:
	case WL_BY_RANGE:
		return range_of(served, &own, lane, i, by);
	case WL_COLOUR_BY_STREAM:
		return own.row;
	case WL_COLOUR_BY_DURATION:
		dur = wl_lane_dur(lane, i);
		return dur < WL_LONGEST_VALUE ? (uint32_t)dur : WL_LONGEST_VALUE;
	case WL_COLOUR_BY_CATEGORY:
		break;
	}
	return WL_NONE;
}
