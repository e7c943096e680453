/* SPDX-License-Identifier: MIT */
/*
 * timeline_state.c - the saved state of the timeline; tests read it, too.
 *
 * Times are strings, because they may have more digits than a JSON number keeps. Rows are named by
 * what identifies them, not by number. State that does not fit the trace is ignored.
 */
#include <stdlib.h>
#include <string.h>

#include "base/text/json_read.h"
#include "base/text/json_write.h"
#include "tui/app/state_json.h"
#include "tui/timeline/timeline_parts.h"

static const struct {
	const char *name;
	size_t at;
} config_members[] = {
#define MEMBER(name)                                                                               \
	{                                                                                          \
#name, offsetof(struct wl_timeline_config, name)                                   \
	}
	MEMBER(selected_rows), MEMBER(other_rows), MEMBER(tick_density),
	MEMBER(nvtx_depth),    MEMBER(ascii),      MEMBER(colour),
	MEMBER(mouse),         MEMBER(path_style), MEMBER(label_style),
#undef MEMBER
};

static int *config_member(struct wl_timeline_config *c, size_t i)
{
	return (int *)(void *)((char *)c + config_members[i].at);
}

/* ---- Writing ---- */

static void put_time(struct wl_jsonw *out, const char *key, wl_ns time)
{
	if (time != WL_NO_TIME)
		wl_state_put_time(out, key, time);
}

static void put_row(const struct wl_timeline *t, struct wl_jsonw *out, uint32_t track)
{
	char buf[WL_ROW_KEY_BUF];

	if (track == WL_NONE)
		wl_jsonw_null(out);
	else
		wl_jsonw_str(out, wl_timeline_row_key(t, track, buf));
}

static void put_rows_with(const struct wl_timeline *t, struct wl_jsonw *out, const char *key,
			  uint8_t bit)
{
	wl_jsonw_open_array(out, key);
	for (uint32_t i = 0; i < wl_timeline_scene(t)->tracks.n; i++)
		if ((t->rows.fold[i] & bit) != 0)
			put_row(t, out, i);
	wl_jsonw_end_array(out);
}

static void save(struct wl_timeline *t, struct wl_jsonw *out)
{
	put_time(out, "begin", t->view.begin);
	put_time(out, "end", t->view.end);
	put_time(out, "cursor", t->view.cursor);
	wl_jsonw_key(out, "row");
	put_row(t, out, t->view.track);
	wl_jsonw_put_i64(out, "scroll", t->view.scroll);
	wl_jsonw_put_i64(out, "clock", t->view.clock);
	wl_jsonw_put_i64(out, "rows", t->rows.set);
	wl_jsonw_put_i64(out, "colouring", t->rows.colouring);
	wl_jsonw_put_i64(out, "second", t->rows.second);
	wl_jsonw_put_bool(out, "merged", t->rows.merged);
	wl_jsonw_put_bool(out, "logical", t->rows.logical);
	wl_jsonw_put_bool(out, "counters", t->rows.counters);
	wl_jsonw_put_bool(out, "detail_open", t->panels.detail_open);
	put_time(out, "mark_a", t->view.mark_a);
	put_time(out, "mark_b", t->view.mark_b);
	wl_jsonw_put_str(out, "filter", t->filter.text);
	put_time(out, "min_dur", t->filter.min_dur);
	wl_jsonw_put_i64(out, "muted", t->filter.muted);
	put_rows_with(t, out, "folded", WL_FOLDED);
	put_rows_with(t, out, "compact", WL_COMPACT);
	put_rows_with(t, out, "hidden", WL_HIDDEN);
	put_rows_with(t, out, "opened", WL_OPENED);
	wl_jsonw_open_array(out, "pinned");
	for (size_t i = 0; i < t->rows.n_pins; i++)
		put_row(t, out, t->rows.pin[i]);
	wl_jsonw_end_array(out);
	wl_jsonw_open_object(out, "config");
	for (size_t i = 0; i < WL_COUNT(config_members); i++)
		wl_jsonw_put_i64(out, config_members[i].name, *config_member(&t->config, i));
	wl_jsonw_end_object(out);
}

/* ---- Reading ---- */

static wl_ns get_time(const struct wl_json *state, const char *key, wl_ns otherwise)
{
	wl_ns time;

	return wl_state_time(state, key, &time) ? time : otherwise;
}

/* A number in 0..n-1. */
static int get_number(const struct wl_json *state, const char *key, int n, int otherwise)
{
	int number;

	return wl_state_int(state, key, 0, n - 1, &number) ? number : otherwise;
}

static bool get_bool(const struct wl_json *state, const char *key, bool otherwise)
{
	const struct wl_json *v = wl_json_member(state, key);
	bool is_on;

	return v && wl_json_bool(v, &is_on) ? is_on : otherwise;
}

static uint32_t get_row(const struct wl_timeline *t, const struct wl_json *v)
{
	const char *key = v ? wl_json_string(v) : NULL;

	return key ? wl_timeline_row_find(t, key) : WL_NONE;
}

static void get_rows_with(struct wl_timeline *t, const struct wl_json *state, const char *key,
			  uint8_t bit)
{
	const struct wl_json *list = wl_json_member(state, key);

	if (!list || wl_json_type_of(list) != WL_JSON_ARRAY)
		return;
	for (size_t i = 0; i < wl_timeline_scene(t)->tracks.n; i++)
		t->rows.fold[i] &= (uint8_t)~bit;
	for (size_t i = 0; i < wl_json_size(list); i++) {
		uint32_t track = get_row(t, wl_json_at(list, i));

		if (track != WL_NONE)
			t->rows.fold[track] |= bit;
	}
}

static void get_pins(struct wl_timeline *t, const struct wl_json *state)
{
	const struct wl_json *list = wl_json_member(state, "pinned");

	if (!list || wl_json_type_of(list) != WL_JSON_ARRAY)
		return;
	t->rows.n_pins = 0;
	for (size_t i = 0; i < wl_json_size(list) && t->rows.n_pins < WL_MAX_PINS; i++) {
		uint32_t track = get_row(t, wl_json_at(list, i));

		if (track != WL_NONE)
			t->rows.pin[t->rows.n_pins++] = track;
	}
}

static void get_filter(struct wl_timeline *t, const struct wl_json *state)
{
	const struct wl_json *v = wl_json_member(state, "filter");
	const char *text = v ? wl_json_string(v) : NULL;

	if (text && strlen(text) < sizeof(t->filter.text))
		wl_timeline_filter_by(t, text, false);
	wl_timeline_set_min(t, get_time(state, "min_dur", t->filter.min_dur));
	wl_timeline_set_muted(
		t, (uint32_t)get_number(state, "muted", 1 << WL_N_COLOURS, (int)t->filter.muted));
}

static void get_config(struct wl_timeline *t, const struct wl_json *state)
{
	const struct wl_json *config = wl_json_member(state, "config");

	for (size_t i = 0; config && i < WL_COUNT(config_members); i++) {
		int *v = config_member(&t->config, i);

		*v = get_number(config, config_members[i].name, 1 << 20, *v);
	}
}

static void restore(struct wl_timeline *t, const struct wl_json *state)
{
	uint32_t track = get_row(t, wl_json_member(state, "row"));
	wl_ns begin = get_time(state, "begin", t->view.begin),
	      end = get_time(state, "end", t->view.end);
	struct wl_interval extent = wl_timeline_scene(t)->tracks.extent;

	get_config(t, state);
	t->view.clock = (enum wl_clock_style)get_number(state, "clock", WL_N_CLOCK_STYLES,
							(int)t->view.clock);
	t->rows.set = (enum wl_row_set)get_number(state, "rows", WL_N_ROW_SETS, (int)t->rows.set);
	t->rows.colouring = (enum wl_colour_by)get_number(state, "colouring", WL_N_COLOUR_BY,
							  (int)t->rows.colouring);
	if (t->rows.twin)
		t->rows.second = (enum wl_second_mode)get_number(state, "second", WL_N_SECOND_MODES,
								 (int)t->rows.second);
	t->rows.merged = get_bool(state, "merged", t->rows.merged);
	t->rows.logical = get_bool(state, "logical", t->rows.logical);
	t->rows.counters = get_bool(state, "counters", t->rows.counters);
	t->panels.detail_open = get_bool(state, "detail_open", t->panels.detail_open);
	wl_timeline_mark(t, get_time(state, "mark_a", WL_NO_TIME),
			 get_time(state, "mark_b", WL_NO_TIME));
	get_filter(t, state);
	get_rows_with(t, state, "folded", WL_FOLDED);
	get_rows_with(t, state, "compact", WL_COMPACT);
	get_rows_with(t, state, "hidden", WL_HIDDEN);
	get_rows_with(t, state, "opened", WL_OPENED);
	get_pins(t, state);
	t->view.scroll = get_number(state, "scroll", 1 << 20, t->view.scroll);
	if (track != WL_NONE)
		t->view.track = track;
	wl_timeline_reconfigure(t);
	t->view.cursor = get_time(state, "cursor", t->view.cursor);
	if (t->view.cursor < extent.begin || t->view.cursor >= extent.end)
		t->view.cursor = extent.begin;
	if (begin < end)
		wl_timeline_show(t, begin, end);
	else
		wl_timeline_show(t, t->view.begin, t->view.end);
}

const struct wl_timeline_part wl_timeline_keeping = { .save = save, .restore = restore };
