/* SPDX-License-Identifier: MIT */
/* track_path.c - the row of the critical path; a ref is the number of a segment. */
#include "derive/graph/path.h"
#include "derive/rows/ops.h"
#include "derive/tracks/tracks_inside.h"
#include "known/palette.h"

struct wl_track_event wl_path_event_of(const struct wl_tracks *tracks, uint32_t ref)
{
	const struct wl_path *path = tracks->path;
	const struct wl_graph *g = path->graph;
	const char *class = wl_path_class_name(path->class[ref]);
	uint32_t activity = path->activity[ref], row;
	const struct wl_thread_rows *rows;

	if (activity < g->n_ops) {
		enum wl_op_kind kind = wl_graph_kind(g, activity);

		return (struct wl_track_event){ wl_op_families[kind], activity - g->first[kind],
						class };
	}
	rows = wl_graph_call_rows(g, activity - g->n_ops, &row);
	return (struct wl_track_event){ wl_call_families[rows - g->calls], row, class };
}

/* Time between activities, and in calls that wait, is named after its class. */
static const bool is_named[WL_N_PATH_CLASSES] = {
	[WL_PATH_COMPUTE] = true, [WL_PATH_COMM] = true, [WL_PATH_TRANSFER] = true,
	[WL_PATH_COPY] = true,    [WL_PATH_API] = true,
};

const char *wl_path_event_name(const struct wl_tracks *tracks, uint32_t ref)
{
	const struct wl_trace *t = tracks->trace;
	const struct wl_track_event event = wl_path_event_of(tracks, ref);

	if (!is_named[tracks->path->class[ref]])
		return event.detail;
	if (wl_is_op(event.family))
		return wl_op_name(t, event.family, event.row);
	return event.family == WL_F_API ? wl_str(t, wl_api_name(t)[event.row]) : event.detail;
}

static uint8_t colour_of(const struct wl_tracks *tracks, uint32_t segment)
{
	static const uint8_t colour[WL_N_PATH_CLASSES] = {
		[WL_PATH_COMPUTE] = WL_COLOUR_OTHER,      [WL_PATH_COMM] = WL_COLOUR_COMM,
		[WL_PATH_TRANSFER] = WL_COLOUR_COMM,      [WL_PATH_COPY] = WL_COLOUR_COPY,
		[WL_PATH_HOST] = WL_COLOUR_HOST,          [WL_PATH_API] = WL_COLOUR_HOST,
		[WL_PATH_MPI] = WL_COLOUR_HOST,           [WL_PATH_RETURN] = WL_COLOUR_HOST,
		[WL_PATH_QUEUE] = WL_COLOUR_HOST,         [WL_PATH_LOADING] = WL_COLOUR_HOST,
		[WL_PATH_PROFILER] = WL_COLOUR_HOST,      [WL_PATH_CALLBACK] = WL_COLOUR_HOST,
		[WL_PATH_LATENCY] = WL_COLOUR_NEUTRAL,    [WL_PATH_DISPATCH] = WL_COLOUR_NEUTRAL,
		[WL_PATH_DEPENDENCY] = WL_COLOUR_NEUTRAL, [WL_PATH_UNKNOWN] = WL_COLOUR_NEUTRAL,
	};
	const struct wl_track_event event = wl_path_event_of(tracks, segment);

	if (is_named[tracks->path->class[segment]] && wl_is_op(event.family))
		return wl_track_colour_of_op(tracks, event.family, event.row);
	return colour[tracks->path->class[segment]];
}

/*
 * The path of the selected processes. An activity that such a process waited for may begin before
 * all other rows of a selection; it is cut there. A path that the verb refuses is not shown.
 */
bool wl_fill_path(struct wl_filling *f)
{
	const struct wl_path *path = f->tracks->path;
	const bool *process_on = f->tracks->inside->scope.process_on;
	wl_ns first = f->tracks->extent.begin;

	if (!path || wl_path_trust(path) == WL_PATH_REFUSED)
		return true;
	for (uint32_t i = 0; i < path->n; i++) {
		wl_ns begin = path->begin[i] > first ? path->begin[i] : first;

		if (begin < path->begin[i + 1] &&
		    process_on[wl_graph_process(path->graph, path->activity[i])])
			wl_filling_put(f, &(struct wl_lane_event){ begin, path->begin[i + 1], i,
								   colour_of(f->tracks, i) });
	}
	return true;
}
