/* SPDX-License-Identifier: MIT */
#include "serve/answers/search_only.h"

#include <string.h>

#include "base/text/pattern.h"
#include "derive/kinds/category_rules.h"
#include "serve/answers/colour_by.h"

enum { MAX_TEXT = 1000 };

/* ---- Events ---- */

bool wl_search_only_row(const struct wl_search_only *o, const struct wl_served *served,
			const struct wl_asked_row *row)
{
	const struct wl_track *track = &row->scene->tracks.at[row->track];
	const int64_t first = (int64_t)wl_show_first_device(&served->show, row->which);

	return wl_row_is_recorded(wl_row_kind(track)) && (!o->rows || o->rows[row->row]) &&
	       (o->trace < 0 || (int64_t)row->which == o->trace) &&
	       (o->device < 0 || (track->device != WL_NONE && first + track->device == o->device));
}

static bool is_wanted(const struct wl_search_only *o, const struct wl_web_name *name,
		      const struct wl_lane *lane, size_t i, wl_ns begin)
{
	wl_ns dur = wl_lane_dur(lane, i);

	return dur >= o->min && dur <= o->max && begin >= o->a && begin < o->b &&
	       (name->word == WL_NO_WORD ? o->cats >> lane->cat[i] & 1
					 : o->words >> name->word & 1);
}

static bool has_grid(const struct wl_search_only *o, const struct wl_trace *t, uint32_t ref)
{
	const struct wl_track_op op = wl_track_op_of(ref);
	const struct wl_number_list *grid = &o->grid;
	uint32_t config;

	if (op.kind != WL_OP_KERNEL || !wl_kernels_config(t))
		return false;
	config = wl_kernels_config(t)[op.row];
	for (size_t i = 0; i < grid->n && config != WL_NONE; i++) {
		if (t->configs[config].grid[i] != grid->at[i])
			return false;
	}
	return config != WL_NONE;
}

/* What takes a search is asked last. */
bool wl_search_only_event(const struct wl_search_only *o, const struct wl_served *served,
			  const struct wl_asked_row *row, const struct wl_lane *lane, size_t i,
			  const struct wl_web_name *name)
{
	const struct wl_row_kind *kind = wl_row_kind(&row->scene->tracks.at[row->track]);
	const bool *in = o->range[row->which];
	uint32_t range;

	if (!is_wanted(o, name, lane, i, lane->start[i] - row->origin))
		return false;
	if (o->grid.n > 0 &&
	    (kind->holds != WL_HOLDS_OPS || !has_grid(o, row->scene->trace, lane->ref[i])))
		return false;
	if (!in)
		return true;
	range = wl_colour_value(served, row, lane, i, WL_BY_RANGE);
	return range != WL_NONE && in[range];
}

/* ---- What is asked ---- */

_Static_assert((int)WL_MAX_CATEGORIES <= 64, "a bit per category of operations");

/* What one of both lists names counts; without either, anything. */
static int read_categories(const struct wl_ask *ask, struct wl_search_only *o,
			   struct wl_err *reterr)
{
	const struct wl_query *q = ask->query;
	size_t n_words = ask->served->show.scene[0]->tracks.n_category_words;
	struct wl_number_list cats = { .limit = WL_MAX_LANE_CATS, .max = WL_MAX_LANE_CATS };
	struct wl_number_list words = { .limit = (uint32_t)n_words, .max = WL_MAX_CATEGORIES };
	int r = wl_query_list(q, "cat", ask->arena, &cats, reterr);

	if (r == WL_OK)
		r = wl_query_list(q, "word", ask->arena, &words, reterr);
	if (r < 0 || (!wl_query_text(q, "cat") && !wl_query_text(q, "word")))
		return r;
	o->cats = 0;
	o->words = 0;
	for (size_t i = 0; i < cats.n; i++)
		o->cats |= UINT32_C(1) << cats.at[i];
	for (size_t i = 0; i < words.n; i++)
		o->words |= UINT64_C(1) << words.at[i];
	return WL_OK;
}

static int read_rows(const struct wl_ask *ask, struct wl_search_only *o, struct wl_err *reterr)
{
	const size_t n = wl_show_rows(&ask->served->show);
	struct wl_number_list list = { .limit = 0 };
	bool *rows;
	int r;

	if (!wl_query_text(ask->query, "rows"))
		return WL_OK;
	r = wl_ask_rows(ask, &list, reterr);
	if (r < 0)
		return r;
	rows = WL_NEW(ask->arena, bool, n + 1);
	if (!rows)
		return wl_fail(reterr, WL_E_NOMEM, "no memory for rows");
	for (size_t i = 0; i < list.n; i++)
		rows[list.at[i]] = true;
	o->rows = rows;
	return WL_OK;
}

/* Which ranges of a trace are called so, by NVTX row. */
static void mark_ranges(const struct wl_served *served, size_t which, const char *text, bool *in)
{
	const struct wl_pattern part = { .part = text };

	for (uint32_t i = 0; i < wl_show_rows(&served->show); i++) {
		const struct wl_asked_row row = wl_asked_row(served, i);
		const struct wl_row_kind *kind = wl_row_kind(&row.scene->tracks.at[row.track]);
		const struct wl_lanes *lanes = &row.scene->lanes[row.track];

		if (row.which != which || kind->family != WL_F_NVTX || !wl_row_is_recorded(kind))
			continue;
		for (size_t k = 0; k < lanes->n; k++) {
			const struct wl_lane *lane = &lanes->lane[k];

			for (size_t e = 0; e < lane->n; e++) {
				uint32_t name =
					wl_names_of(&served->names, i, lane->ref[e], lane->cat[e]);

				if (name != WL_NONE &&
				    wl_pattern_matches(&part, served->names.at[name].text))
					in[lane->ref[e]] = true;
			}
		}
	}
}

/* And those inside: each way up is gone twice at most, because its end is known then. */
static void mark_inside(const struct wl_scene *s, bool *in, bool *out, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		size_t at = i;

		while (at != WL_NONE && !in[at] && !out[at]) {
			out[at] = true;
			at = s->range_parent[at];
		}
		if (at == WL_NONE || !in[at])
			continue;
		for (size_t k = i; k != at; k = s->range_parent[k])
			in[k] = true;
	}
}

static int read_range(const struct wl_ask *ask, struct wl_search_only *o, struct wl_err *reterr)
{
	const struct wl_served *served = ask->served;
	const char *text = wl_query_text(ask->query, "range");

	if (text && (!*text || strlen(text) > MAX_TEXT))
		return wl_fail(reterr, WL_E_USAGE, "range: give 1 to %d bytes", MAX_TEXT);
	for (size_t i = 0; text && i < served->show.n; i++) {
		const struct wl_scene *scene = served->show.scene[i];
		size_t n = scene->trace->family[WL_F_NVTX].n;
		bool *in = WL_NEW(ask->arena, bool, n + 1);
		bool *out = WL_NEW(ask->arena, bool, n + 1);

		if (!in || !out)
			return wl_fail(reterr, WL_E_NOMEM, "no memory for ranges");
		mark_ranges(served, i, text, in);
		mark_inside(scene, in, out, n);
		o->range[i] = in;
	}
	return WL_OK;
}

static int read_places(const struct wl_ask *ask, struct wl_search_only *o, struct wl_err *reterr)
{
	enum { AXES = 3 };
	int r = read_rows(ask, o, reterr);

	o->grid = (struct wl_number_list){ .limit = UINT32_MAX, .max = AXES };
	if (r == WL_OK)
		r = wl_query_list(ask->query, "grid", ask->arena, &o->grid, reterr);
	return r == WL_OK ? read_range(ask, o, reterr) : r;
}

int wl_search_only_read(const struct wl_ask *ask, struct wl_search_only *o, struct wl_err *reterr)
{
	const struct wl_query *q = ask->query;
	int r;

	*o = (struct wl_search_only){ .max = INT64_MAX,
				      .a = INT64_MIN,
				      .b = INT64_MAX,
				      .device = -1,
				      .trace = -1,
				      .cats = UINT32_MAX,
				      .words = UINT64_MAX };
	r = wl_query_i64(q, "min", 0, INT64_MAX, &o->min, reterr);
	if (r == WL_OK)
		r = wl_query_i64(q, "max", 0, INT64_MAX, &o->max, reterr);
	if (r == WL_OK)
		r = wl_query_i64(q, "a", -WL_ASK_TIME_MAX, WL_ASK_TIME_MAX, &o->a, reterr);
	if (r == WL_OK)
		r = wl_query_i64(q, "b", -WL_ASK_TIME_MAX, WL_ASK_TIME_MAX, &o->b, reterr);
	if (r == WL_OK)
		r = wl_query_i64(q, "gpu", -1, UINT32_MAX, &o->device, reterr);
	if (r == WL_OK)
		r = wl_query_i64(q, "trace", 0, (int64_t)ask->served->show.n - 1, &o->trace,
				 reterr);
	if (r == WL_OK)
		r = read_categories(ask, o, reterr);
	return r == WL_OK ? read_places(ask, o, reterr) : r;
}
