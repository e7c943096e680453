/* SPDX-License-Identifier: MIT */
/*
 * timeline_colour.c - other colours of operations than their category: those of the
 * longest event of a column. How much of it is busy stays exact.
 */
#include "scene/details.h"
#include "tui/timeline/timeline_parts.h"

/* All but the neutral one, which stands for no value. */
enum { N_HUES = WL_COLOUR_NEUTRAL };

static uint8_t of_name(const struct wl_scene *scene, struct wl_op_id op, uint8_t cat)
{
	return op.family == WL_F_KERNELS ? (uint8_t)(wl_kernels_name(scene->trace)[op.row] % N_HUES)
					 : cat;
}

static uint8_t of_range(const struct wl_scene *scene, struct wl_op_id op)
{
	enum wl_op_kind kind = wl_kind_of_family(op.family);
	uint32_t call = kind == WL_N_OP_FAMILIES ? WL_NONE : wl_link_of(scene->links, kind, op.row);
	bool is_bridged;
	uint32_t node = call == WL_NONE ? WL_NONE : wl_node_of_call(scene, call, &is_bridged);

	return node == WL_NONE ? WL_COLOUR_NEUTRAL : (uint8_t)(scene->forest->name[node] % N_HUES);
}

/* By powers of ten: below 1 us, 10 us, 100 us, 1 ms, 10 ms, and above. */
static uint8_t of_length(wl_ns length)
{
	static const uint8_t ladder[] = { WL_COLOUR_NEUTRAL, WL_COLOUR_OTHER, WL_COLOUR_GEMM,
					  WL_COLOUR_NORM,    WL_COLOUR_COPY,  WL_COLOUR_ATTENTION,
					  WL_COLOUR_COMM };
	size_t step = 0;

	for (wl_ns limit = 1000; length >= limit && step + 1 < sizeof(ladder); limit *= 10)
		step++;
	return ladder[step];
}

static uint8_t colour_of(const struct wl_timeline *t, const struct wl_chart_source *from,
			 const struct wl_lane *lane, uint32_t i)
{
	const struct wl_scene *scene = from->scene;
	uint32_t track =
		scene == wl_timeline_scene(t) ? wl_timeline_owner(t, from->track) : from->track;
	struct wl_track_event event;
	struct wl_op_id op;

	if (t->rows.colouring == WL_COLOUR_BY_DURATION)
		return of_length(wl_lane_end(lane, i) - lane->start[i]);
	event = wl_track_event_of(&scene->tracks, track, lane->ref[i]);
	op = (struct wl_op_id){ event.family, event.row };
	if (t->rows.colouring == WL_COLOUR_BY_STREAM) {
		enum wl_op_kind kind = wl_kind_of_family(event.family);
		struct wl_ops ops;

		if (kind == WL_N_OP_FAMILIES)
			return lane->cat[i];
		ops = wl_trace_ops(scene->trace, event.family);
		return (uint8_t)(scene->trace->places[ops.place[event.row]].stream % N_HUES);
	}
	return t->rows.colouring == WL_COLOUR_BY_NAME ? of_name(scene, op, lane->cat[i])
						      : of_range(scene, op);
}

void wl_timeline_recolour(const struct wl_timeline *t, const struct wl_chart_source *from,
			  const struct wl_lane *lane, const struct wl_viewport *v,
			  struct wl_picture_column *columns)
{
	for (uint32_t x = 0; x < v->width; x++) {
		uint32_t i;

		if (columns[x].share == 0)
			continue;
		i = wl_lane_longest(lane, wl_viewport_at(v, x), wl_viewport_at(v, x + 1));
		if (i != WL_NONE)
			columns[x].cat = colour_of(t, from, lane, i);
	}
}
