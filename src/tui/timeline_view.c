/* timeline_view.c - the timeline as the app sees it: a view made of parts. */
#include <stdlib.h>

#include "base/clock.h"
#include "tui/timeline_parts.h"
#include "tui/timeline_tell.h"

static const struct wl_timeline_part *const parts[] = {
	&wl_timeline_moving,      &wl_timeline_stepping, &wl_timeline_going,
	&wl_timeline_filtering,   &wl_timeline_folding,  &wl_timeline_configuring,
	&wl_timeline_keeping,     &wl_timeline_telling,  &wl_timeline_stepping_gaps,
	&wl_timeline_finding,     &wl_timeline_linking,  &wl_timeline_summing,
	&wl_timeline_bookmarking, &wl_timeline_writing,  &wl_timeline_comparing,
};

const struct wl_tui_data *wl_timeline_data(const struct wl_timeline *t)
{
	return wl_app_data(t->app, 0);
}

bool wl_timeline_is_ready(const struct wl_timeline *t)
{
	return t->row_list != NULL;
}

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
	t->end = 1;
	t->track = WL_NONE;
	t->mark_a = t->mark_b = WL_NO_TIME;
	t->drag_x = -1;
	t->config = (struct wl_timeline_config){
		.selected_rows = 1,
		.other_rows = 1,
		.tick_density = 8,
		.nvtx_depth = 3,
		.colour = 1,
		.mouse = 1,
	};
	t->made_at = opts->frozen ? 0 : wl_clock_wall_ns();
	wl_arena_init_on(&t->arena, opts->budget);
	for (size_t i = 0; i < WL_COUNT(parts); i++)
		if (parts[i]->make && !parts[i]->make(t)) {
			drop(t);
			return false;
		}
	*ret_view = t;
	return true;
}

static bool act(void *view, enum wl_action action)
{
	struct wl_timeline *t = view;

	for (size_t i = 0; i < WL_COUNT(parts); i++)
		for (size_t k = 0; k < parts[i]->n_acts; k++) {
			if (parts[i]->acts[k].action != action)
				continue;
			if (wl_timeline_is_ready(t))
				parts[i]->acts[k].act(t);
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

/* The first operation of a GPU, from which relative times count. */
static wl_ns first_op(const struct wl_tui_data *data)
{
	wl_ns first = INT64_MAX;

	for (size_t i = 0; i < data->tracks.n; i++) {
		const struct wl_lanes *lanes = &data->lanes[i];

		if (data->tracks.at[i].kind == WL_TRACK_GPU && lanes->n > 0 &&
		    lanes->lane[0].n > 0 && lanes->lane[0].start[0] < first)
			first = lanes->lane[0].start[0];
	}
	return first == INT64_MAX ? data->tracks.extent.begin : first;
}

/* The rows are there. Without memory for them nothing is ever shown but the reason. */
static void begin(struct wl_timeline *t)
{
	const struct wl_tui_data *data = wl_timeline_data(t);

	if (data->tracks.n == 0)
		return;
	if (!wl_timeline_shown_make(t) || !wl_timeline_rows_make(t)) {
		wl_app_say(t->app, "no memory for the rows");
		return;
	}
	t->first_op = first_op(data);
	t->begin = t->cursor = data->tracks.extent.begin;
	t->end = data->tracks.extent.end;
	if (wl_app_screen(t->app)->rows < 40)
		t->config.nvtx_depth = 1;
	wl_timeline_fold_to(t, wl_timeline_room(t));
	wl_timeline_settle(t);
}

static void staged(void *view, int which)
{
	struct wl_timeline *t = view;
	const struct wl_tui_data *data = wl_timeline_data(t);

	if (which == 0 && !wl_timeline_is_ready(t) && data->stage >= WL_STAGE_TRACKS && data->lanes)
		begin(t);
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
	.staged = staged,
	.save = save,
	.restore = restore,
};
