/* SPDX-License-Identifier: MIT */
/* timeline_view.c - the timeline as a view of the app, assembled from its parts. */
#include <stdlib.h>

#include "tui/timeline/tell/timeline_tell.h"
#include "tui/timeline/timeline_parts.h"

static const struct wl_timeline_part *const parts[] = {
	&wl_timeline_moving,      &wl_timeline_stepping, &wl_timeline_going,
	&wl_timeline_filtering,   &wl_timeline_folding,  &wl_timeline_configuring,
	&wl_timeline_keeping,     &wl_timeline_telling,  &wl_timeline_stepping_gaps,
	&wl_timeline_finding,     &wl_timeline_linking,  &wl_timeline_summing,
	&wl_timeline_bookmarking, &wl_timeline_writing,  &wl_timeline_comparing,
	&wl_timeline_mapping,
};

static void drop(void *view)
{
	struct wl_timeline *t = view;

	for (size_t i = 0; t && i < WL_COUNT(parts); i++)
		if (parts[i]->drop)
			parts[i]->drop(t);
	if (!t)
		return;
	wl_timeline_shown_drop(t);
	wl_timeline_overview_drop(t);
	wl_arena_release(&t->arena);
	free(t);
}

static bool make(struct wl_app *app, void **ret_view)
{
	const struct wl_app_opts *opts = wl_app_options(app);
	struct wl_timeline *t = calloc(1, sizeof(*t));

	if (!t)
		return false;
	t->app = app;
	t->view.end = 1;
	t->view.track = WL_NONE;
	t->view.mark_a = t->view.mark_b = WL_NO_TIME;
	t->drag.x = -1;
	t->config = (struct wl_timeline_config){
		.selected_rows = 1,
		.other_rows = 1,
		.tick_density = 8,
		.nvtx_depth = 3,
		.colour = 1,
		.mouse = 1,
	};
	wl_arena_init_on(&t->arena, opts->budget);
	for (size_t i = 0; i < WL_COUNT(parts); i++)
		if (parts[i]->make && !parts[i]->make(t)) {
			drop(t);
			return false;
		}
	*ret_view = t;
	return true;
}

/* Esc undoes one overlay, filter or selection at a time. */
static bool step_back(struct wl_timeline *t)
{
	if (t->panels.detail_open)
		t->panels.detail_open = false;
	else if (t->view.mark_a != WL_NO_TIME || t->view.mark_b != WL_NO_TIME)
		wl_timeline_mark(t, WL_NO_TIME, WL_NO_TIME);
	else if (t->filter.text[0])
		wl_timeline_filter_by(t, "", false);
	else
		return false;
	return true;
}

static bool act(void *view, enum wl_action action)
{
	struct wl_timeline *t = view;

	if (action == WL_ACT_BACK)
		return wl_timeline_is_ready(t) && step_back(t);
	for (size_t i = 0; i < WL_COUNT(parts); i++)
		for (size_t k = 0; k < parts[i]->n_acts; k++) {
			const struct wl_timeline_act *a = &parts[i]->acts[k];

			if (a->action != action)
				continue;
			if (wl_timeline_is_ready(t) && a->act)
				a->act(t);
			else if (wl_timeline_is_ready(t))
				a->by(t, a->n);
			return true;
		}
	return false;
}

static void mouse(void *view, const struct wl_event *event)
{
	struct wl_timeline *t = view;

	if (wl_timeline_is_ready(t))
		wl_timeline_on_mouse(t, event);
}

/* From the first operation of any GPU to the last end; everything if no GPU has operations. */
static struct wl_interval gpu_span(const struct wl_scene *scene)
{
	struct wl_interval span = { INT64_MAX, INT64_MIN };

	for (size_t i = 0; i < scene->tracks.n; i++) {
		const struct wl_lane *lane;

		if (wl_holds(&scene->tracks.at[i]) != WL_HOLDS_GPU_TIME || scene->lanes[i].n == 0)
			continue;
		lane = &scene->lanes[i].lane[0];
		if (lane->start[0] < span.begin)
			span.begin = lane->start[0];
		if (wl_lane_end(lane, lane->n - 1) > span.end)
			span.end = wl_lane_end(lane, lane->n - 1);
	}
	return span.begin == INT64_MAX ? scene->tracks.extent : span;
}

/* Whether a stream has kernels; if it has, one of its first events is a kernel. */
static bool has_kernels(const struct wl_scene *scene, uint32_t track)
{
	enum { ENOUGH = 1000 };
	const struct wl_lane *lane = wl_scene_lane(scene, track);

	for (size_t i = 0; lane && i < lane->n && i < ENOUGH; i++)
		if (wl_track_event_of(&scene->tracks, track, lane->ref[i]).family == WL_F_KERNELS)
			return true;
	return false;
}

/* Selects the first stream with kernels and its first visible event. */
static void select_first(struct wl_timeline *t)
{
	const struct wl_scene *scene = wl_timeline_scene(t);
	const struct wl_lane *lane;
	size_t n, i;
	const struct wl_row *rows = wl_timeline_rows(t, &n);

	t->view.track = rows[0].track;
	for (i = 0; i < n; i++)
		if (wl_holds(&scene->tracks.at[rows[i].track]) == WL_HOLDS_OPS &&
		    has_kernels(scene, rows[i].track)) {
			t->view.track = rows[i].track;
			break;
		}
	lane = wl_timeline_lane(t, t->view.track);
	i = lane ? wl_lane_from(lane, t->view.begin) : 0;
	if (lane && i < lane->n && lane->start[i] < t->view.end)
		t->view.cursor = lane->start[i];
}

/* The initial view: the window, or else the part with GPU work. */
static void show_first(struct wl_timeline *t, struct wl_interval gpus)
{
	const struct wl_scene *scene = wl_timeline_scene(t);
	struct wl_interval window = scene->window, extent = scene->tracks.extent;
	wl_ns margin = (gpus.end - gpus.begin) / 100;

	if (window.begin <= extent.begin && window.end >= extent.end)
		window = (struct wl_interval){ gpus.begin - margin, gpus.end + margin };
	wl_timeline_show(t, window.begin, window.end);
	t->view.cursor = t->view.begin;
	select_first(t);
}

/* Chooses the first set that has rows; its first row is opened. */
static bool choose_rows(struct wl_timeline *t)
{
	static const enum wl_row_set sets[] = { WL_ROWS_GPU, WL_ROWS_CPU, WL_ROWS_ALL };

	for (size_t i = 0; i < WL_COUNT(sets); i++) {
		size_t n;
		const struct wl_row *rows;

		t->rows.set = sets[i];
		rows = wl_timeline_rows(t, &n);
		if (n > 0 && !rows[0].folded)
			return true;
	}
	return false;
}

/* The rows are loaded. If memory for them ran out, only that error is ever shown. */
static void begin(struct wl_timeline *t)
{
	const struct wl_scene *scene = wl_timeline_scene(t);
	const char *start = wl_app_options(t->app)->start;
	struct wl_interval gpus;
	struct wl_err err;

	if (scene->tracks.n == 0)
		return;
	if (!wl_timeline_shown_make(t) || !wl_timeline_rows_make(t)) {
		wl_app_say(t->app, "no memory for the rows");
		return;
	}
	gpus = gpu_span(scene);
	t->caps = wl_app_screen(t->app)->caps;
	t->view.first_op = gpus.begin;
	if (wl_app_options(t->app)->absolute)
		t->view.clock = WL_CLOCK_ABSOLUTE;
	t->view.begin = t->view.cursor = scene->tracks.extent.begin;
	t->view.end = scene->tracks.extent.end;
	if (wl_app_screen(t->app)->rows < 40)
		t->config.nvtx_depth = 1;
	if (!choose_rows(t)) {
		t->rows.list = NULL; /* nothing to show */
		return;
	}
	wl_timeline_fold_to(t, wl_timeline_room(t));
	wl_timeline_settle(t);
	show_first(t, gpus);
	if (start && wl_timeline_goto(t, start, &err) != WL_OK) {
		struct wl_err said;

		(void)wl_fail(&said, WL_E_NOMATCH, "--start: %.400s", err.msg);
		wl_app_fail(t->app, &said);
	}
	t->history.n = t->history.at = 0;
}

static void arrive(void *view, const struct wl_view_place *place)
{
	if (place)
		wl_timeline_jump(view, place->track, place->at, place->begin, place->end);
}

static void staged(void *view, int which)
{
	struct wl_timeline *t = view;
	const struct wl_scene *scene = wl_timeline_scene(t), *second = wl_app_scene(t->app, 1);

	if (which == 0 && !wl_timeline_is_ready(t) && scene->stage >= WL_SCENE_TRACKS &&
	    scene->lanes)
		begin(t);
	/* Its stage first: before, the rest is the worker's. */
	if (!t->rows.twin && wl_timeline_is_ready(t) && second &&
	    second->stage >= WL_SCENE_TRACKS && second->lanes && !wl_timeline_twins_make(t))
		wl_app_say(t->app, "no memory for the rows of the second trace");
	for (size_t i = 0; i < WL_COUNT(parts); i++)
		if (parts[i]->staged)
			parts[i]->staged(t, which);
}

static void save(void *view, struct wl_jsonw *out)
{
	struct wl_timeline *t = view;

	for (size_t i = 0; wl_timeline_is_ready(t) && i < WL_COUNT(parts); i++)
		if (parts[i]->save)
			parts[i]->save(t, out);
}

static void restore(void *view, const struct wl_json *state)
{
	struct wl_timeline *t = view;

	for (size_t i = 0; wl_timeline_is_ready(t) && i < WL_COUNT(parts); i++)
		if (parts[i]->restore)
			parts[i]->restore(t, state);
}

static void draw(void *view, struct wl_screen *screen)
{
	wl_timeline_draw(view, screen);
}

const struct wl_view_ops wl_timeline_view = {
	.name = "timeline",
	.make = make,
	.drop = drop,
	.draw = draw,
	.act = act,
	.mouse = mouse,
	.arrive = arrive,
	.staged = staged,
	.save = save,
	.restore = restore,
};
