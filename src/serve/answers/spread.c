/* SPDX-License-Identifier: MIT */
#include "serve/answers/spread.h"

#include "scene/details.h"

/* What a call launched on one track: from the first start to the last end. */
struct part {
	wl_ns begin, end;
	size_t n;
};

static void add(struct part *part, struct wl_interval at)
{
	if (part->n == 0 || at.begin < part->begin)
		part->begin = at.begin;
	if (part->n == 0 || at.end > part->end)
		part->end = at.end;
	part->n++;
}

static void gather(const struct wl_scene *scene, uint32_t call, struct part *of_track)
{
	const struct wl_launches *all = &scene->launches;

	for (uint32_t i = all->first[call]; i < all->first[call + 1]; i++) {
		struct wl_op_id id;
		uint32_t track;

		id.family = wl_launches_op(scene->trace, all->op[i], &id.row);
		track = wl_track_of_place(&scene->tracks,
					  wl_trace_ops(scene->trace, id.family).place[id.row]);
		if (track != WL_NONE)
			add(&of_track[track], wl_op_time(scene, id));
	}
}

static void put_parts(const struct wl_asked_row *row, const struct part *of_track,
		      struct wl_jsonw *json)
{
	for (size_t t = 0; t < row->scene->tracks.n; t++) {
		if (of_track[t].n == 0)
			continue;
		wl_jsonw_begin_object(json);
		wl_jsonw_put_i64(json, "rowId", (int64_t)(row->row - row->track + t));
		wl_jsonw_put_i64(json, "begin", of_track[t].begin - row->origin);
		wl_jsonw_put_i64(json, "end", of_track[t].end - row->origin);
		wl_jsonw_put_i64(json, "count", (int64_t)of_track[t].n);
		wl_jsonw_end_object(json);
	}
}

bool wl_spread_put(const struct wl_ask *ask, const struct wl_asked_row *row, uint32_t call,
		   struct wl_jsonw *json)
{
	const struct wl_launches *all = &row->scene->launches;
	bool are_several = call != WL_NONE && all->first[call + 1] - all->first[call] > 1;
	struct part *of_track = NULL;

	if (are_several)
		of_track = WL_NEW(ask->arena, struct part, row->scene->tracks.n);
	wl_jsonw_begin_array(json);
	if (of_track) {
		gather(row->scene, call, of_track);
		put_parts(row, of_track, json);
	}
	wl_jsonw_end_array(json);
	return of_track || !are_several;
}
