/* SPDX-License-Identifier: MIT */
/* timeline_filter.c - showing only some events: by name, length, category. */
#include "tui/timeline/timeline.h"

#include <stdio.h>
#include <string.h>

#include "base/text/pattern.h"
#include "base/text/units.h"
#include "tui/timeline/timeline_parts.h"

/* Up to here a filter is tried with every key that is typed. */
enum { LIVE_EVENTS = 1 << 20 };

static void activate(struct wl_timeline *t, const bool *names)
{
	t->filter.active = (struct wl_track_filter){
		.min_dur = t->filter.min_dur,
		.kernel_name_on = names,
		.hides_other_ops = names != NULL,
		.muted = t->filter.muted,
	};
	wl_timeline_refilter(t);
}

/* "/re/" is a regular expression, and all else a part of the name. */
static int compile(const char *text, char *buf, size_t size, struct wl_pattern *ret,
		   struct wl_err *reterr)
{
	size_t n = strlen(text);

	if (n >= 2 && text[0] == '/' && text[n - 1] == '/')
		(void)snprintf(buf, size, "re:%.*s", (int)(n - 2), text + 1);
	else
		(void)snprintf(buf, size, "%s", text);
	return wl_pattern_init(ret, buf, reterr);
}

/* Which kernel names match; into on[], and how many. */
static size_t match(const struct wl_trace *trace, const struct wl_pattern *pattern, bool *on)
{
	size_t n = 0;

	for (size_t i = 0; i < trace->n_kernel_names; i++) {
		on[i] = wl_pattern_matches(pattern,
					   wl_str(trace, trace->kernel_names[i].demangled));
		n += on[i];
	}
	return n;
}

bool wl_timeline_filter_by(struct wl_timeline *t, const char *text, bool loud)
{
	const struct wl_trace *trace = wl_timeline_scene(t)->trace;
	struct wl_pattern pattern = { 0 };
	char buf[sizeof(t->filter.text) + 8];
	struct wl_err err;
	size_t n;

	if (!*text) {
		t->filter.text[0] = '\0';
		activate(t, NULL);
		return true;
	}
	if (!t->filter.names_on)
		t->filter.names_on = WL_NEW(&t->arena, bool, trace->n_kernel_names + 1);
	if (!t->filter.names_on) {
		wl_app_say(t->app, "no memory for a filter");
		return false;
	}
	if (compile(text, buf, sizeof(buf), &pattern, &err) != WL_OK) {
		if (loud)
			wl_app_say(t->app, "%s", err.msg);
		wl_pattern_release(&pattern);
		return false;
	}
	n = match(trace, &pattern, t->filter.names_on);
	wl_pattern_release(&pattern);
	(void)snprintf(t->filter.text, sizeof(t->filter.text), "%s", text);
	activate(t, t->filter.names_on);
	if (loud)
		wl_app_say(t->app, "%zu of %zu kernel names match; n and N go from one to the next",
			   n, trace->n_kernel_names);
	return true;
}

static void typed(void *ctx, const char *text)
{
	struct wl_timeline *t = ctx;

	if (wl_timeline_scene(t)->n_events <= LIVE_EVENTS)
		wl_timeline_filter_by(t, text, false);
}

static void filtered(void *ctx, const char *text)
{
	struct wl_timeline *t = ctx;
	bool is_set;

	is_set = wl_timeline_filter_by(t, text ? text : "", true);
	/* What was typed on the way to it does not stay either. */
	if (!is_set)
		(void)wl_timeline_filter_by(t, t->filter.before, false);
}

static void ask_filter(struct wl_timeline *t)
{
	(void)snprintf(t->filter.before, sizeof(t->filter.before), "%s", t->filter.text);
	wl_app_prompt(t->app, &(struct wl_prompt_opts){ .label = "/",
							.text = t->filter.text,
							.changed = typed,
							.done = filtered,
							.ctx = t });
}

/* ---- Length and categories ---- */

void wl_timeline_set_min(struct wl_timeline *t, wl_ns min_dur)
{
	t->filter.min_dur = min_dur > 0 ? min_dur : 0;
	t->config.min_us = t->filter.min_dur < (wl_ns)WL_MAX_MIN_US * 1000
				   ? (int)(t->filter.min_dur / 1000)
				   : WL_MAX_MIN_US;
	activate(t, t->filter.active.kernel_name_on);
}

static void shortened(void *ctx, const char *text)
{
	struct wl_timeline *t = ctx;
	struct wl_err err;
	wl_ns min_dur = 0;

	if (!text)
		return;
	if (*text && wl_parse_ns(text, &min_dur, &err) != WL_OK)
		wl_app_say(t->app, "%s", err.msg);
	else
		wl_timeline_set_min(t, min_dur);
}

static void ask_min(struct wl_timeline *t)
{
	char buf[WL_UNITS_BUF] = "";

	if (t->filter.min_dur > 0)
		(void)snprintf(buf, sizeof(buf), "%lldns", (long long)t->filter.min_dur);
	wl_app_prompt(t->app,
		      &(struct wl_prompt_opts){ .label = "hide what is shorter than (10us): ",
						.text = buf,
						.done = shortened,
						.ctx = t });
}

static const struct {
	char letter;
	enum wl_colour colour;
} categories[] = {
	{ 'g', WL_COLOUR_GEMM }, { 'a', WL_COLOUR_ATTENTION }, { 'e', WL_COLOUR_NORM },
	{ 'c', WL_COLOUR_COMM }, { 'm', WL_COLOUR_COPY },      { 'o', WL_COLOUR_OTHER },
};

void wl_timeline_set_muted(struct wl_timeline *t, uint32_t muted)
{
	t->filter.muted = 0;
	for (size_t i = 0; i < WL_COUNT(categories); i++)
		t->filter.muted |= muted & (UINT32_C(1) << categories[i].colour);
	activate(t, t->filter.active.kernel_name_on);
}

static void muted(void *ctx, const char *text)
{
	struct wl_timeline *t = ctx;
	uint32_t bits = 0;

	if (!text)
		return;
	for (size_t i = 0; i < WL_COUNT(categories); i++)
		if (strchr(text, categories[i].letter))
			bits |= UINT32_C(1) << categories[i].colour;
	wl_timeline_set_muted(t, bits);
}

static void ask_muted(struct wl_timeline *t)
{
	char buf[WL_COUNT(categories) + 1];
	size_t n = 0;

	for (size_t i = 0; i < WL_COUNT(categories); i++)
		if ((t->filter.muted & (UINT32_C(1) << categories[i].colour)) != 0)
			buf[n++] = categories[i].letter;
	buf[n] = '\0';
	wl_app_prompt(t->app,
		      &(struct wl_prompt_opts){
			      .label = "hide (gemm attention elementwise comm memory other): ",
			      .text = buf,
			      .done = muted,
			      .ctx = t });
}

/* ---- From match to match ---- */

static bool has_matches(const struct wl_timeline *t, uint32_t track)
{
	return wl_holds(&wl_timeline_scene(t)->tracks.at[track]) ==
	       (t->rows.merged ? WL_HOLDS_GPU_TIME : WL_HOLDS_OPS);
}

/* The nearest start in a row behind (or before) a time. */
static bool nearest(struct wl_timeline *t, uint32_t track, bool later, wl_ns from, wl_ns *ret)
{
	const struct wl_lanes *lanes = wl_timeline_lanes(t, track);
	bool found = false;

	for (size_t k = 0; lanes && k < lanes->n; k++) {
		const struct wl_lane *lane = &lanes->lane[k];
		size_t i = wl_lane_from(lane, later ? from + 1 : from);
		wl_ns at;

		if (later ? i == lane->n : i == 0)
			continue;
		at = lane->start[later ? i : i - 1];
		if (!found || (later ? at < *ret : at > *ret))
			*ret = at;
		found = true;
	}
	return found;
}

static void step_match(struct wl_timeline *t, int later)
{
	uint32_t n = (uint32_t)wl_timeline_scene(t)->tracks.n;
	wl_ns all = WL_TIME_MAX, at = 0;

	if (!t->filter.text[0]) {
		wl_app_say(t->app, "no filter: / sets one");
		return;
	}
	/* Row by row from the selected one, around, and that one again from its other end. */
	for (uint32_t k = 0; k <= n; k++) {
		uint32_t track = (t->view.track + (later ? k : n - k % n)) % n;
		wl_ns from = k == 0 ? t->view.cursor : later ? -all : all;

		if (!has_matches(t, track) || !nearest(t, track, later, from, &at))
			continue;
		wl_timeline_remember(t);
		wl_timeline_select(t, track);
		wl_timeline_go(t, at);
		return;
	}
	wl_app_say(t->app, "no event matches %s", t->filter.text);
}

static const struct wl_timeline_act acts[] = {
	{ WL_ACT_FILTER, .act = ask_filter },
	{ WL_ACT_MIN_DURATION, .act = ask_min },
	{ WL_ACT_MUTE, .act = ask_muted },
	{ WL_ACT_NEXT_MATCH, .by = step_match, .n = true },
	{ WL_ACT_PREV_MATCH, .by = step_match, .n = false },
};

const struct wl_timeline_part wl_timeline_filtering = { .acts = acts, .n_acts = WL_COUNT(acts) };
