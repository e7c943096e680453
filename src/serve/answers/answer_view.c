/* SPDX-License-Identifier: MIT */
/* answer_view.c - pictures of rows: what columns.h draws, as bytes. */

#include "derive/lanes/levels.h"
#include "serve/answers/answer.h"
#include "serve/answers/bytes.h"
#include "serve/answers/colour_by.h"

enum {
	MAX_WIDTH = 8192,
	MAX_LANES = 64,       /* of a row: more do not fit on a screen */
	MAX_BYTES = 16 << 20, /* of an answer */
	MAGIC = 0x31564c57,   /* "WLV1" */
	VERSION = 1,
	HEAD_BYTES = 32,
	ROW_BYTES = 8,
};

_Static_assert(sizeof(struct wl_picture_column) == 2, "columns are drawn where they are sent");

/* What is drawn of each row. */
struct drawing {
	struct wl_interval range;
	int64_t width, max_lanes;
	enum wl_colour_by by;
	/* Found once: merged streams may get their lanes meanwhile. */
	struct wl_asked_row *row;
	size_t n_rows;
	uint32_t *longest; /* of one lane, where something else than categories is asked */
	char *to;
};

static size_t lanes_of(const struct drawing *d, const struct wl_asked_row *row)
{
	size_t n = row->lanes->n;

	return n < (size_t)d->max_lanes ? n : (size_t)d->max_lanes;
}

/* The bytes of all rows; an answer that is too long is refused before it is made. */
static int measure(const struct drawing *d, size_t *ret, struct wl_err *reterr)
{
	size_t bytes = HEAD_BYTES, per_column = d->by == WL_COLOUR_BY_CATEGORY ? 2 : 2 + 4;

	for (size_t i = 0; i < d->n_rows; i++) {
		bytes += ROW_BYTES + per_column * (size_t)d->width * lanes_of(d, &d->row[i]);
		if (bytes > MAX_BYTES)
			return wl_fail(reterr, WL_E_USAGE, "rows: too many for one answer");
	}
	*ret = bytes;
	return WL_OK;
}

/* By column the value of its longest event; that of a run of one event is looked up once. */
static void put_values(struct drawing *d, const struct wl_served *served,
		       const struct wl_asked_row *row, const struct wl_lane *lane,
		       const struct wl_viewport *v)
{
	uint32_t last = WL_NONE, value = WL_NONE;

	wl_lane_draw_longest(lane, v, d->longest);
	for (uint32_t x = 0; x < v->width; x++) {
		if (d->longest[x] != last) {
			last = d->longest[x];
			value = last == WL_NONE ? WL_NONE
						: wl_colour_value(served, row, lane, last, d->by);
		}
		d->to = wl_put_u32(d->to, value);
	}
}

static void draw_lane(const struct wl_asked_row *row, const struct wl_lane *lane,
		      const struct wl_viewport *v, struct wl_picture_column *ret)
{
	if (row->is_compute)
		wl_lane_draw_only(lane, v, WL_COMPUTE, ret);
	else
		wl_lane_picture(lane, v, ret);
}

static int draw_row(struct drawing *d, const struct wl_served *served,
		    const struct wl_asked_row *row, struct wl_err *reterr)
{
	struct wl_viewport v = { .width = (uint32_t)d->width };

	if (!wl_asked_time(row->origin, d->range.begin, &v.begin) ||
	    !wl_asked_time(row->origin, d->range.end, &v.end))
		return wl_fail(reterr, WL_E_USAGE, "a, b: out of range");
	d->to = wl_put_u32(d->to, row->row);
	d->to = wl_put_u32(d->to, (uint32_t)lanes_of(d, row));
	for (size_t i = 0; i < lanes_of(d, row); i++) {
		draw_lane(row, &row->lanes->lane[i], &v, (struct wl_picture_column *)d->to);
		d->to += v.width * sizeof(struct wl_picture_column);
		if (d->by != WL_COLOUR_BY_CATEGORY)
			put_values(d, served, row, &row->lanes->lane[i], &v);
	}
	return WL_OK;
}

static void put_head(struct drawing *d, size_t n)
{
	d->to = wl_put_u32(d->to, MAGIC);
	d->to = wl_put_u32(d->to, VERSION);
	d->to = wl_put_u32(d->to, (uint32_t)d->width);
	d->to = wl_put_u32(d->to, (uint32_t)n);
	d->to = wl_put_u64(d->to, (uint64_t)d->range.begin);
	d->to = wl_put_u64(d->to, (uint64_t)d->range.end);
}

static int read_drawing(const struct wl_ask *ask, struct drawing *d, struct wl_err *reterr)
{
	int r = wl_ask_range(ask, &d->range, reterr);

	if (r == WL_OK)
		r = wl_query_need_i64(ask->query, "w", 1, MAX_WIDTH, &d->width, reterr);
	if (r == WL_OK)
		r = wl_query_i64(ask->query, "lanes", 1, MAX_LANES, &d->max_lanes, reterr);
	if (r == WL_OK)
		r = wl_ask_colour_by(ask, &d->by, reterr);
	if (r == WL_OK && d->range.end - d->range.begin < d->width)
		r = wl_fail(reterr, WL_E_USAGE, "w: a column must be 1 ns or more");
	return r;
}

static int read_rows(const struct wl_ask *ask, struct drawing *d, struct wl_err *reterr)
{
	struct wl_number_list rows;
	int r = wl_ask_drawn_rows(ask, &rows, reterr);

	if (r < 0)
		return r;
	d->row = WL_NEW(ask->arena, struct wl_asked_row, rows.n + 1);
	if (!d->row)
		return wl_fail(reterr, WL_E_NOMEM, "no memory for pictures");
	d->n_rows = rows.n;
	for (size_t i = 0; i < rows.n; i++)
		d->row[i] = wl_asked_row(ask->served, rows.at[i]);
	return WL_OK;
}

int wl_answer_merge(const struct wl_ask *ask, struct wl_answer *ret, struct wl_err *reterr)
{
	struct wl_served *s = ask->served;
	int64_t row = 0, n_rows = (int64_t)wl_show_rows(&s->show);
	int r = wl_query_need_i64(ask->query, "row", 0, n_rows - 1, &row, reterr);
	struct wl_json_answer j;

	if (r < 0)
		return r;
	if (!wl_merged_make(&s->merged, &s->show, (size_t)row, ask->arena,
			    wl_arena_budget(&s->arena)))
		return wl_fail(reterr, WL_E_NOMEM, "no memory for the streams of a GPU");
	r = wl_answer_begin_json(ret, &j, reterr);
	if (r < 0)
		return r;
	wl_jsonw_begin_object(&j.json);
	wl_jsonw_put_i64(&j.json, "lanes", (int64_t)wl_merged_lanes(&s->merged, (size_t)row)->n);
	wl_jsonw_end_object(&j.json);
	return wl_answer_end_json(ret, &j, reterr);
}

int wl_answer_view(const struct wl_ask *ask, struct wl_answer *ret, struct wl_err *reterr)
{
	struct drawing d = { .max_lanes = MAX_LANES };
	size_t bytes = 0;
	int r = read_drawing(ask, &d, reterr);

	if (r == WL_OK)
		r = read_rows(ask, &d, reterr);
	if (r == WL_OK)
		r = measure(&d, &bytes, reterr);
	if (r < 0)
		return r;
	d.longest = WL_NEW(ask->arena, uint32_t, (size_t)d.width);
	d.to = wl_answer_binary(ret, bytes);
	if (!d.longest || !d.to)
		return wl_fail(reterr, WL_E_NOMEM, "no memory for pictures");
	put_head(&d, d.n_rows);
	for (size_t i = 0; r == WL_OK && i < d.n_rows; i++)
		r = draw_row(&d, ask->served, &d.row[i], reterr);
	return r;
}
