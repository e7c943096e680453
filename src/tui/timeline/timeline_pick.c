/* SPDX-License-Identifier: MIT */
/* timeline_pick.c - finds what is under the cursor: an event, an iteration, a time. */
#include "tui/timeline/timeline.h"

#include <assert.h>

#include "base/text/units.h"
#include "scene/details.h"
#include "tui/timeline/timeline_parts.h"

uint32_t wl_timeline_owner(const struct wl_timeline *t, uint32_t track)
{
	const struct wl_tracks *tracks = &wl_timeline_scene(t)->tracks;

	if (!t->rows.merged || wl_holds(&tracks->at[track]) != WL_HOLDS_GPU_TIME)
		return track;
	for (uint32_t i = 0; i < tracks->n; i++)
		if (wl_holds(&tracks->at[i]) == WL_HOLDS_OPS &&
		    tracks->at[i].device == tracks->at[track].device)
			return i;
	return track;
}

static void keep_longer(const struct wl_timeline *t, const struct wl_lanes *lanes, size_t lane,
			uint32_t i, struct wl_pick *ret)
{
	const struct wl_lane *of = &lanes->lane[lane];

	*ret = (struct wl_pick){
		.lane = of,
		.lane_number = (uint32_t)lane,
		.index = i,
		.track = wl_timeline_owner(t, t->view.track),
		.ref = of->ref[i],
		.start = of->start[i],
		.end = wl_lane_end(of, i),
		.cat = of->cat[i],
	};
	ret->event = wl_track_event_of(&wl_timeline_scene(t)->tracks, ret->track, ret->ref);
}

/* Of ranges in one another the innermost; of operations the first lane. */
static bool pick_at(struct wl_timeline *t, const struct wl_lanes *lanes, struct wl_pick *ret)
{
	const struct wl_row_kind *kind =
		wl_row_kind(&wl_timeline_scene(t)->tracks.at[t->view.track]);
	bool innermost = kind->family == WL_F_NVTX;

	for (size_t k = 0; k < lanes->n; k++) {
		size_t lane = innermost ? lanes->n - 1 - k : k;
		uint32_t i = wl_lane_at(&lanes->lane[lane], t->view.cursor);

		if (i != WL_NONE) {
			keep_longer(t, lanes, lane, i, ret);
			return true;
		}
	}
	return false;
}

bool wl_timeline_pick(struct wl_timeline *t, struct wl_pick *ret)
{
	const struct wl_lanes *lanes;
	struct wl_timeline_layout l;
	wl_ns begin, end, longest = -1;
	int x;

	*ret = (struct wl_pick){ .track = t->view.track,
				 .ref = WL_NONE,
				 .event.family = WL_N_FAMILIES };
	lanes = t->view.track == WL_NONE ? NULL : wl_timeline_lanes(t, t->view.track);
	if (!lanes)
		return false;
	if (pick_at(t, lanes, ret))
		return true;
	wl_timeline_layout_now(t, &l);
	if (l.too_small)
		return false;
	x = wl_timeline_x_of(&t->view, &l, t->view.cursor);
	begin = wl_timeline_time_at(&t->view, &l, x);
	end = wl_timeline_time_at(&t->view, &l, x + 1);
	for (size_t k = 0; k < lanes->n; k++) {
		uint32_t i = wl_lane_longest(&lanes->lane[k], begin, end);

		if (i == WL_NONE ||
		    wl_lane_end(&lanes->lane[k], i) - lanes->lane[k].start[i] <= longest)
			continue;
		keep_longer(t, lanes, k, i, ret);
		longest = ret->end - ret->start;
	}
	return ret->lane != NULL;
}

const char *wl_timeline_pick_name(struct wl_timeline *t, const struct wl_pick *pick)
{
	const struct wl_scene *scene = wl_timeline_scene(t);

	if (pick->event.family == WL_F_KERNELS)
		return wl_app_kernel_name(t->app, 0,
					  wl_kernels_name(scene->trace)[pick->event.row]);
	return wl_track_event_name(&scene->tracks, pick->track, pick->ref, pick->cat);
}

/* ---- Iterations and clocks ---- */

const struct wl_process_iters *wl_timeline_iters(const struct wl_timeline *t, uint32_t track)
{
	const struct wl_tracks *tracks;
	uint32_t process = WL_NONE;

	if (!wl_timeline_is_ready(t))
		return NULL;
	tracks = &wl_timeline_scene(t)->tracks;
	if (!tracks->iterations || !tracks->iterations->process)
		return NULL;
	if (track != WL_NONE)
		process = tracks->at[track].process;
	if (process != WL_NONE && tracks->iterations->process[process].n > 0)
		return &tracks->iterations->process[process];
	for (size_t p = 0; process == WL_NONE && p < tracks->trace->n_processes; p++)
		if (tracks->iterations->process[p].n > 0)
			return &tracks->iterations->process[p];
	return NULL;
}

uint32_t wl_timeline_iter_at(const struct wl_process_iters *iters, wl_ns time)
{
	uint32_t at = wl_iteration_begun(iters, time);

	return at != WL_NONE && time < iters->at[at].tile.end ? at : WL_NONE;
}

const struct wl_iteration *wl_timeline_iteration(const struct wl_timeline *t, size_t *ret_number,
						 size_t *ret_of)
{
	const struct wl_process_iters *iters = wl_timeline_iters(t, t->view.track);
	uint32_t at = iters ? wl_timeline_iter_at(iters, t->view.cursor) : WL_NONE;

	*ret_of = iters ? iters->n : 0;
	if (at == WL_NONE)
		return NULL;
	*ret_number = at;
	return &iters->at[at];
}

wl_ns wl_timeline_origin(const struct wl_timeline *t)
{
	const struct wl_iteration *it;
	size_t number, of;

	switch (t->view.clock) {
	case WL_CLOCK_ABSOLUTE:
		return 0;
	case WL_CLOCK_ITERATION:
		it = wl_timeline_iteration(t, &number, &of);
		return it ? it->tile.begin : t->view.first_op;
	case WL_CLOCK_RELATIVE:
	case WL_N_CLOCK_STYLES:
		break;
	}
	return t->view.first_op;
}

const char *wl_timeline_fmt(const struct wl_timeline *t, wl_ns time, char buf[WL_TIME_BUF])
{
	static_assert((int)WL_TIME_BUF >= (int)WL_UNITS_BUF, "a time fits");
	return wl_fmt_time(buf, time - wl_timeline_origin(t), WL_UNIT_AUTO);
}
