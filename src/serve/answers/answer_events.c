/* SPDX-License-Identifier: MIT */
/* answer_events.c - the events of a row one by one, as columns; and their names. */
#include <stdio.h>

#include "scene/details.h"
#include "serve/answers/answer_rows.h"
#include "serve/answers/bytes.h"
#include "serve/answers/colour_by.h"

enum { MAX_EVENTS = 200000, USUAL_EVENTS = 20000, MAX_NAMES = 10000, USUAL_NAMES = 2000 };
enum { EVENT_BYTES = 8 + 8 + 4 + 4 + 2, HEAD_CAP = 64 };

/* Events [lo, hi) of a lane have a part in the range. */
struct found {
	const struct wl_lane *lane;
	uint16_t number; /* of the lane */
	size_t lo, hi;
};

static struct found find(const struct wl_lane *lane, size_t number, wl_ns begin, wl_ns end)
{
	struct found f = { .lane = lane, .number = (uint16_t)number };

	wl_lane_touching(lane, begin, end, &f.lo, &f.hi);
	return f;
}

struct events {
	struct wl_asked_row row;
	const struct wl_served *served;
	struct found *found; /* by lane */
	size_t n_lanes, n;
	enum wl_colour_by by;
	bool truncated;
};

static int find_all(const struct wl_ask *ask, struct events *e, size_t max, struct wl_err *reterr)
{
	const struct wl_lanes *lanes = e->row.lanes;
	struct wl_interval range;
	wl_ns begin, end;
	int r = wl_ask_range(ask, &range, reterr);

	if (r < 0)
		return r;
	if (!wl_asked_time(e->row.origin, range.begin, &begin) ||
	    !wl_asked_time(e->row.origin, range.end, &end))
		return wl_fail(reterr, WL_E_USAGE, "a, b: out of range");
	e->found = WL_NEW(ask->arena, struct found, lanes->n + 1);
	if (!e->found)
		return wl_fail(reterr, WL_E_NOMEM, "no memory for events");
	for (size_t i = 0; i < lanes->n && i < UINT16_MAX; i++) {
		struct found f = find(&lanes->lane[i], i, begin, end);

		if (f.hi - f.lo > max - e->n) {
			f.hi = f.lo + (max - e->n);
			e->truncated = true;
		}
		e->n += f.hi - f.lo;
		e->found[e->n_lanes++] = f;
	}
	return WL_OK;
}

static uint32_t name_of(const struct events *e, const struct wl_lane *lane, size_t i)
{
	const struct wl_asked_row row = wl_asked_row_of(e->served, &e->row, lane, i);

	return wl_names_of(&e->served->names, row.row, lane->ref[i], lane->cat[i]);
}

static bool has_parents(const struct events *e)
{
	const struct wl_row_kind *kind = wl_row_kind(&e->row.scene->tracks.at[e->row.track]);

	return !e->row.is_merged && kind->family == WL_F_NVTX;
}

/* Of ranges: what each stands below, then its style. */
static void put_parents(const struct events *e, char *to)
{
	const struct wl_scene *scene = e->row.scene;

	for (size_t k = 0; k < e->n_lanes; k++) {
		const struct found *f = &e->found[k];

		for (size_t i = f->lo; i < f->hi; i++)
			to = wl_put_u32(to, scene->range_parent[f->lane->ref[i]]);
	}
	for (size_t k = 0; k < e->n_lanes; k++) {
		const struct found *f = &e->found[k];

		for (size_t i = f->lo; i < f->hi; i++)
			*to++ = (char)wl_range_style(scene, f->lane->ref[i]);
	}
}

static bool has_targets(const struct events *e)
{
	const struct wl_row_kind *kind = wl_row_kind(&e->row.scene->tracks.at[e->row.track]);

	return !e->row.is_merged && kind->holds == WL_HOLDS_PATH;
}

/* Of segments of the critical path: the row of what each leads to, counted from 1; 0 for none. */
static void put_targets(const struct events *e, char *to)
{
	const struct wl_scene *scene = e->row.scene;
	const size_t first = wl_show_first_row(&e->served->show, e->row.which);

	for (size_t k = 0; k < e->n_lanes; k++) {
		const struct found *f = &e->found[k];

		for (size_t i = f->lo; i < f->hi; i++) {
			const struct wl_track_event event =
				wl_track_event_of(&scene->tracks, e->row.track, f->lane->ref[i]);
			const uint32_t track = wl_link_to_activity(scene, &event).track;

			to = wl_put_u32(to, track == WL_NONE ? 0 : (uint32_t)(1 + first + track));
		}
	}
}

/* By event what it is coloured by, where that is asked; then the row that it is of, if not this. */
static void put_more(const struct events *e, char *to)
{
	for (size_t k = 0; k < e->n_lanes && e->by != WL_COLOUR_BY_CATEGORY; k++) {
		const struct found *f = &e->found[k];

		for (size_t i = f->lo; i < f->hi; i++)
			to = wl_put_u32(to, wl_colour_value(e->served, &e->row, f->lane, i, e->by));
	}
	for (size_t k = 0; k < e->n_lanes && e->row.is_merged; k++) {
		const struct found *f = &e->found[k];

		for (size_t i = f->lo; i < f->hi; i++)
			to = wl_put_u32(to, wl_asked_row_of(e->served, &e->row, f->lane, i).row);
	}
	if (has_parents(e))
		put_parents(e, to);
	else if (has_targets(e))
		put_targets(e, to);
}

/* The columns, each of all events: so a page can use the bytes as arrays. */
static char *put_columns(const struct events *e, char *to)
{
	enum { START, DUR, NAME, REF, LANE, N_COLUMNS };

	for (int column = START; column < N_COLUMNS; column++) {
		for (size_t k = 0; k < e->n_lanes; k++) {
			const struct found *f = &e->found[k];
			const struct wl_lane *l = f->lane;

			for (size_t i = f->lo; i < f->hi; i++) {
				if (column == START)
					to = wl_put_double(to, l->start[i] - e->row.origin);
				else if (column == DUR)
					to = wl_put_double(to, wl_lane_dur(l, i));
				else if (column == NAME)
					to = wl_put_u32(to, name_of(e, l, i));
				else if (column == REF)
					to = wl_put_u32(to, l->ref[i]);
				else
					to = wl_put_u16(to, f->number);
			}
		}
	}
	return to;
}

/* Blanks behind the JSON put the columns at a multiple of 8. */
static char *put_head(const struct events *e, char *to)
{
	int n = snprintf(to + 4, HEAD_CAP - 4, "{\"n\":%zu,\"truncated\":%s}", e->n,
			 e->truncated ? "true" : "false");

	memset(to + 4 + n, ' ', HEAD_CAP - 4 - (size_t)n);
	(void)wl_put_u32(to, HEAD_CAP - 4);
	return to + HEAD_CAP;
}

int wl_answer_events(const struct wl_ask *ask, struct wl_answer *ret, struct wl_err *reterr)
{
	int64_t n_rows = (int64_t)wl_show_rows(&ask->served->show), row = 0, max = USUAL_EVENTS;
	struct events e = { .served = ask->served };
	size_t event_bytes = EVENT_BYTES;
	char *to;
	int r = wl_query_need_i64(ask->query, "row", 0, 2 * n_rows - 1, &row, reterr);

	if (r == WL_OK)
		r = wl_query_i64(ask->query, "max", 1, MAX_EVENTS, &max, reterr);
	if (r == WL_OK)
		r = wl_ask_colour_by(ask, &e.by, reterr);
	if (r < 0)
		return r;
	e.row = wl_asked_row(ask->served, (uint32_t)row);
	r = find_all(ask, &e, (size_t)max, reterr);
	if (r < 0)
		return r;
	event_bytes += e.by == WL_COLOUR_BY_CATEGORY ? 0 : 4;
	event_bytes += e.row.is_merged ? 4 : 0;
	event_bytes += has_parents(&e) ? 4 + 1 : has_targets(&e) ? 4 : 0;
	to = wl_answer_binary(ret, HEAD_CAP + e.n * event_bytes);
	if (!to)
		return wl_fail(reterr, WL_E_NOMEM, "no memory for events");
	put_more(&e, put_columns(&e, put_head(&e, to)));
	return WL_OK;
}

int wl_answer_names(const struct wl_ask *ask, struct wl_answer *ret, struct wl_err *reterr)
{
	const struct wl_names *names = &ask->served->names;
	int64_t from = 0, n = USUAL_NAMES;
	struct wl_json_answer j;
	int r = wl_query_i64(ask->query, "from", 0, UINT32_MAX, &from, reterr);

	if (r == WL_OK)
		r = wl_query_i64(ask->query, "n", 1, MAX_NAMES, &n, reterr);
	if (r == WL_OK)
		r = wl_answer_begin_json(ret, &j, reterr);
	if (r < 0)
		return r;
	wl_jsonw_begin_array(&j.json);
	for (size_t i = (size_t)from; i < names->n && i - (size_t)from < (size_t)n; i++) {
		wl_jsonw_begin_array(&j.json);
		wl_jsonw_str(&j.json, names->at[i].text);
		wl_jsonw_i64(&j.json, names->at[i].category);
		wl_jsonw_str(&j.json, names->at[i].label);
		wl_jsonw_i64(&j.json, names->at[i].word == WL_NO_WORD ? -1 : names->at[i].word);
		wl_jsonw_end_array(&j.json);
	}
	wl_jsonw_end_array(&j.json);
	return wl_answer_end_json(ret, &j, reterr);
}
