/* SPDX-License-Identifier: MIT */
/* timeline_lateness.c - the heat map of ranks and steps, and the way to the step of a cell. */
#include "tui/timeline/tell/timeline_tell.h"

static void go_to_cell(void *ctx, uint32_t item)
{
	struct wl_timeline *t = ctx;
	const struct wl_scene *scene = wl_timeline_scene(t);
	const struct wl_heat_item *at = &scene->lateness.item[item];
	const uint32_t device = (uint32_t)scene->lateness.subject[at->subject].device;
	const struct wl_process_iters *iters = wl_device_iters(scene, device);
	const uint32_t track = wl_track_of_device(&scene->tracks, WL_HOLDS_GPU_TIME, device);
	char text[WL_HEAT_TEXT];

	if (iters && at->step >= 0 && (uint64_t)at->step < iters->n) {
		const struct wl_interval tile = iters->at[at->step].tile;

		wl_timeline_jump(t, track == WL_NONE ? t->view.track : track, tile.begin,
				 tile.begin, tile.end);
	}
	wl_app_say(t->app, "%s", wl_heat_say(&scene->lateness, item, WL_UNIT_AUTO, text));
}

static void show_lateness(struct wl_timeline *t)
{
	const struct wl_scene *scene = wl_timeline_scene(t);

	if (scene->stage < WL_SCENE_FINDINGS)
		wl_app_say(t->app, "lateness is being computed");
	else if (scene->stage == WL_SCENE_FAILED || scene->lateness.n_items == 0)
		wl_app_say(t->app, "no rank is late in a step of this trace");
	else
		wl_app_show_heat(t->app,
				 &(struct wl_heat_opts){ .title = "Lateness by rank and step",
							 .heat = &scene->lateness,
							 .chosen = go_to_cell,
							 .ctx = t });
}

static const struct wl_timeline_act acts[] = {
	{ WL_ACT_LATENESS, .act = show_lateness },
};

const struct wl_timeline_part wl_timeline_mapping = { .acts = acts, .n_acts = WL_COUNT(acts) };
