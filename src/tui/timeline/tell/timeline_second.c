/* SPDX-License-Identifier: MIT */
/* timeline_second.c - a second trace under the first, and the difference of both. */
#include <inttypes.h>
#include <stdio.h>

#include "tui/timeline/tell/timeline_tell.h"

/* Less than this of a cell is no difference that a picture should show. */
static const double threshold = 0.05;

static bool first_op(const struct wl_scene *scene, wl_ns *ret)
{
	bool found = false;

	for (size_t i = 0; i < scene->tracks.n; i++) {
		const struct wl_lanes *lanes = &scene->lanes[i];

		if (wl_holds(&scene->tracks.at[i]) != WL_HOLDS_OPS || lanes->n == 0)
			continue;
		/* Lane 0 has the first event: it is free for that. */
		if (!found || lanes->lane[0].start[0] < *ret)
			*ret = lanes->lane[0].start[0];
		found = true;
	}
	return found;
}

/* The iterations of the GPU, else of the first that has any. */
static const struct wl_process_iters *iters_of(const struct wl_scene *scene, uint32_t device)
{
	const struct wl_process_iters *iters = NULL;

	if (device != WL_NONE)
		iters = wl_device_iters(scene, device);
	for (size_t i = 0; !iters && i < scene->tracks.n; i++) {
		if (wl_holds(&scene->tracks.at[i]) == WL_HOLDS_GPU_TIME)
			iters = wl_device_iters(scene, scene->tracks.at[i].device);
	}
	return iters;
}

bool wl_align(const struct wl_scene *a, const struct wl_scene *b, uint32_t device, wl_ns t,
	      struct wl_alignment *ret)
{
	const struct wl_process_iters *of_a = iters_of(a, device), *of_b = iters_of(b, device);
	wl_ns start_a, start_b;

	if (of_a && of_b) {
		ret->it_a = wl_iteration_begun(of_a, t);
		ret->it_a = ret->it_a == WL_NONE ? 0 : ret->it_a;
		ret->it_b = ret->it_a < of_b->n ? ret->it_a : (uint32_t)(of_b->n - 1);
		ret->shift = of_a->at[ret->it_a].tile.begin - of_b->at[ret->it_b].tile.begin;
		return true;
	}
	if (!first_op(a, &start_a) || !first_op(b, &start_b))
		return false;
	*ret = (struct wl_alignment){ start_a - start_b, WL_NONE, WL_NONE };
	return true;
}

/* The second trace, once its rows are there; NULL else. */
static const struct wl_scene *second_scene(struct wl_timeline *t)
{
	const struct wl_scene *b = wl_app_scene(t->app, 1);

	return b && b->stage >= WL_SCENE_TRACKS && b->tracks.n > 0 ? b : NULL;
}

static bool align(struct wl_timeline *t, struct wl_alignment *ret)
{
	const struct wl_scene *b = second_scene(t);

	return b && wl_timeline_is_ready(t) &&
	       wl_align(wl_timeline_scene(t), b, wl_timeline_device(t), t->view.cursor, ret);
}

bool wl_timeline_second_shift(struct wl_timeline *t, wl_ns *ret_shift)
{
	struct wl_alignment at;

	if (!align(t, &at))
		return false;
	*ret_shift = at.shift;
	return true;
}

const char *wl_timeline_second_words(struct wl_timeline *t, char *buf, size_t size)
{
	struct wl_alignment at;

	buf[0] = '\0';
	if (t->rows.second == WL_SECOND_OFF || !align(t, &at))
		return buf;
	if (at.it_a == WL_NONE)
		(void)snprintf(buf, size, "B: by first operation");
	else
		(void)snprintf(buf, size, "B: step %" PRIu32 " = step %" PRIu32, at.it_b, at.it_a);
	return buf;
}

/* Exactly how busy a lane is in [begin, end). */
static wl_ns busy(const struct wl_lane *lane, wl_ns begin, wl_ns end)
{
	wl_ns sum[WL_MAX_LANE_CATS] = { 0 };

	return lane ? wl_lane_time(lane, begin, end, sum) : 0;
}

static void draw_cell(struct wl_screen *s, int x, int y, double difference)
{
	struct wl_style style = WL_STYLE_PLAIN;

	if (difference > -threshold && difference < threshold) {
		style.fg = WL_INK_DIM;
		wl_screen_put(s, x, y, 0xb7, style);
		return;
	}
	style.fg = difference > 0 ? WL_COLOUR_GEMM : WL_COLOUR_ATTENTION;
	style.attrs = difference > 0.5 || difference < -0.5 ? WL_ATTR_BOLD : 0;
	wl_screen_put(s, x, y, difference > 0 ? 0x25b2 : 0x25bc, style);
}

void wl_timeline_draw_delta(struct wl_timeline *t, struct wl_screen *s,
			    const struct wl_timeline_line *line, const struct wl_timeline_layout *l)
{
	const struct wl_scene *a = wl_timeline_scene(t), *b = second_scene(t);
	struct wl_viewport v = { t->view.begin, t->view.end, (uint32_t)l->chart_width };
	uint32_t track_b;
	struct wl_alignment at;

	if (!b || l->chart_width < 1 || !align(t, &at))
		return;
	track_b =
		wl_track_of_device(&b->tracks, WL_HOLDS_GPU_TIME, a->tracks.at[line->track].device);
	if (track_b == WL_NONE)
		return;
	if (v.end - v.begin < l->chart_width)
		v.width = (uint32_t)(v.end - v.begin);
	for (int x = 0; x < l->chart_width; x++) {
		uint32_t c = (uint32_t)((uint64_t)x * v.width / (uint64_t)l->chart_width);
		wl_ns begin = wl_viewport_at(&v, c), end = wl_viewport_at(&v, c + 1);
		wl_ns of_a = busy(wl_scene_lane(a, line->track), begin, end);
		wl_ns of_b = busy(wl_scene_lane(b, track_b), begin - at.shift, end - at.shift);

		/* Where B has no time there is nothing to compare. */
		if (end - at.shift > b->tracks.extent.begin &&
		    begin - at.shift < b->tracks.extent.end)
			draw_cell(s, l->chart_x + x, line->y,
				  (double)(of_b - of_a) / (double)(end - begin));
	}
}

static void next_mode(struct wl_timeline *t)
{
	static const char *const words[WL_N_SECOND_MODES] = {
		[WL_SECOND_OFF] = "the first trace alone",
		[WL_SECOND_BOTH] = "A over B",
		[WL_SECOND_ONLY] = "B in place of A, where it has the row",
		[WL_SECOND_DELTA] =
			"B minus A: \u25b2 B is busier, \u25bc less busy, \u00b7 as busy",
	};
	struct wl_alignment at;
	char how[64];

	if (!wl_app_scene(t->app, 1)) {
		wl_app_say(t->app, "there is no second trace; give two: warplens timeline A B");
		return;
	}
	if (!align(t, &at)) {
		wl_app_say(t->app, second_scene(t) ? "the second trace has no operations"
						   : "the second trace is being read");
		return;
	}
	t->rows.second = (enum wl_second_mode)((t->rows.second + 1) % WL_N_SECOND_MODES);
	(void)wl_timeline_second_words(t, how, sizeof(how));
	wl_app_say(t->app, "%s%s%s", words[t->rows.second], *how ? "; " : "", how);
}

static const struct wl_timeline_act acts[] = {
	{ WL_ACT_SECOND, .act = next_mode },
};

const struct wl_timeline_part wl_timeline_comparing = { .acts = acts, .n_acts = WL_COUNT(acts) };
