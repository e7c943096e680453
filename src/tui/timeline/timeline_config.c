/* SPDX-License-Identifier: MIT */
/* timeline_config.c - the appearance of the timeline: the panel C and its shortcuts. */
#include "tui/timeline/timeline.h"

#include "tui/timeline/timeline_parts.h"

static const char *const no_yes[] = { "no", "yes" };
static const char *const path_words[] = { "whole", "last two", "last" };
static const char *const label_words[] = { "by width", "short", "long" };

enum { N_SETTINGS = 10 };

static void settings_of(struct wl_timeline_config *c, struct wl_setting ret[N_SETTINGS])
{
	const struct wl_setting all[N_SETTINGS] = {
		{ "overlap lines, selected stream", &c->selected_rows, 1, 6, NULL },
		{ "overlap lines, other streams", &c->other_rows, 1, 4, NULL },
		{ "cells between ticks", &c->tick_density, 2, 20, NULL },
		{ "NVTX depth", &c->nvtx_depth, 0, 8, NULL },
		{ "minimum duration, us", &c->min_us, 0, WL_MAX_MIN_US, NULL },
		{ "NVTX paths", &c->path_style, 0, WL_N_PATH_STYLES - 1, path_words },
		{ "row labels", &c->label_style, 0, WL_N_LABEL_STYLES - 1, label_words },
		{ "ASCII only", &c->ascii, 0, 1, no_yes },
		{ "colours", &c->colour, 0, 1, no_yes },
		{ "mouse", &c->mouse, 0, 1, no_yes },
	};

	for (size_t i = 0; i < N_SETTINGS; i++)
		ret[i] = all[i];
}

void wl_timeline_reconfigure(struct wl_timeline *t)
{
	struct wl_setting settings[N_SETTINGS];

	settings_of(&t->config, settings);
	for (size_t i = 0; i < N_SETTINGS; i++) {
		int *v = settings[i].value;

		*v = *v < settings[i].min ? settings[i].min : *v;
		*v = *v > settings[i].max ? settings[i].max : *v;
	}
	wl_app_screen(t->app)->caps = (struct wl_look_caps){
		.ascii = t->caps.ascii || t->config.ascii,
		.colourful = t->caps.colourful && t->config.colour,
	};
	wl_app_mouse(t->app, t->config.mouse);
	/* A finer length that m has set is kept while the number stands for it. */
	if (t->config.min_us != t->filter.min_dur / 1000)
		wl_timeline_set_min(t, (wl_ns)t->config.min_us * 1000);
	/* Wider labels or a percent column may leave the chart fewer cells, never too few. */
	wl_timeline_settle(t);
	wl_timeline_show(t, t->view.begin, t->view.end);
	wl_timeline_keep_scroll(t);
}

static void changed(void *ctx)
{
	wl_timeline_reconfigure(ctx);
}

static void show(struct wl_timeline *t)
{
	struct wl_setting settings[N_SETTINGS];

	settings_of(&t->config, settings);
	wl_app_show_settings(t->app, &(struct wl_settings_opts){ .title = "Configuration",
								 .settings = settings,
								 .n = N_SETTINGS,
								 .changed = changed,
								 .ctx = t });
}

static void change_paths(struct wl_timeline *t)
{
	t->config.path_style = (t->config.path_style + 1) % WL_N_PATH_STYLES;
	wl_app_say(t->app, "NVTX paths: %s", path_words[t->config.path_style]);
}

static void change_labels(struct wl_timeline *t)
{
	t->config.label_style = (t->config.label_style + 1) % WL_N_LABEL_STYLES;
	wl_app_say(t->app, "row labels: %s", label_words[t->config.label_style]);
	wl_timeline_reconfigure(t);
}

static void change_ticks(struct wl_timeline *t)
{
	t->config.tick_density = t->config.tick_density >= 20 ? 4 : t->config.tick_density + 4;
	if (t->config.tick_density > 20)
		t->config.tick_density = 20;
	wl_app_say(t->app, "at least %d cells between ticks", t->config.tick_density);
}

static void change_colouring(struct wl_timeline *t)
{
	static const char *const words[] = {
		[WL_COLOUR_BY_CATEGORY] = "category", [WL_COLOUR_BY_NAME] = "name",
		[WL_COLOUR_BY_NVTX] = "NVTX range",   [WL_COLOUR_BY_DURATION] = "duration",
		[WL_COLOUR_BY_STREAM] = "stream",
	};

	t->rows.colouring = (enum wl_colour_by)((t->rows.colouring + 1) % WL_N_COLOUR_BY);
	wl_app_say(t->app, "colours by %s", words[t->rows.colouring]);
}

static const struct wl_timeline_act acts[] = {
	{ WL_ACT_CONFIG, .act = show },
	{ WL_ACT_PATHS, .act = change_paths },
	{ WL_ACT_LABELS, .act = change_labels },
	{ WL_ACT_TICKS, .act = change_ticks },
	{ WL_ACT_COLOURING, .act = change_colouring },
};

const struct wl_timeline_part wl_timeline_configuring = { .acts = acts, .n_acts = WL_COUNT(acts) };
