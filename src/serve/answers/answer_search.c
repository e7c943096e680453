/* SPDX-License-Identifier: MIT */
/*
 * answer_search.c - events whose name matches, in all of the traces: how many,
 * where, and the nearest ones on both sides of a place.
 */
#include <string.h>

#include "base/pattern.h"
#include "base/regex.h"
#include "derive/kinds/category_rules.h"
#include "derive/lanes/columns.h"
#include "serve/answers/answer.h"
#include "serve/shown/bare_names.h"

enum { MAX_WIDTH = 8192, MAX_QUERY = 1000 };
enum mode { MODE_SUB, MODE_RE, MODE_EXACT };

static const char *const modes[] = { "sub", "re", "exact", NULL };

/* An event as the order of hits has it: by begin, then row, then ref. */
struct hit {
	wl_ns begin, end;
	uint32_t row, ref, name;
};

/* Conditions on events besides their name. */
struct only {
	int64_t min, max, a, b;
	int64_t device; /* counted on over the traces; -1: any */
	int64_t trace;  /* -1: any */
	uint32_t cats;  /* of what is no operation: bits; all for any */
	uint64_t words; /* of operations: bits of struct wl_web_name.word; all for any */
};

struct searching {
	const struct wl_ask *ask;
	const bool *matches; /* by name */
	struct wl_bare_names domains;
	struct only only;
	struct hit place; /* the next is behind it, the previous before */
	bool has_place, place_is_time;
	bool has_next, has_previous;
	struct hit next, previous;
	uint64_t total, n_before; /* n_before: of all matches, those before next */
	struct wl_viewport view;  /* the extent of all traces */
	uint32_t *hits;           /* by column */
};

static int compare(const struct hit *x, const struct hit *y)
{
	if (x->begin != y->begin)
		return x->begin < y->begin ? -1 : 1;
	if (x->row != y->row)
		return x->row < y->row ? -1 : 1;
	return x->ref < y->ref ? -1 : x->ref > y->ref;
}

/* < 0: before the place, > 0: behind it. All is behind no place. */
static int side_of(const struct searching *s, const struct hit *h)
{
	if (!s->has_place)
		return 1;
	if (s->place_is_time)
		return h->begin < s->place.begin ? -1 : h->begin > s->place.begin;
	return compare(h, &s->place);
}

static void offer(struct searching *s, const struct hit *h)
{
	int side = side_of(s, h);

	s->total++;
	s->hits[wl_viewport_column(&s->view, h->begin)]++;
	s->n_before += side <= 0;
	if (side > 0 && (!s->has_next || compare(h, &s->next) < 0)) {
		s->next = *h;
		s->has_next = true;
	} else if (side < 0 && (!s->has_previous || compare(h, &s->previous) > 0)) {
		s->previous = *h;
		s->has_previous = true;
	}
}

/* ---- Names ---- */

/* Ranges are also called by their name without the domain, as the verb "search" does. */
static int match_regex(const struct searching *s, const char *text, bool *ret,
		       struct wl_err *reterr)
{
	const struct wl_names *names = &s->ask->served->names;
	struct wl_regex *re;
	int r = wl_regex_new(text, WL_REGEX_PLAIN, &re, reterr);

	if (r < 0)
		return r;
	for (size_t i = 0; i < names->n && !s->ask->served->stop; i++) {
		const char *name = names->at[i].text, *bare = wl_bare_name(&s->domains, name);

		ret[i] = wl_regex_match(re, name, strlen(name)) > 0 ||
			 (bare != name && wl_regex_match(re, bare, strlen(bare)) > 0);
	}
	wl_regex_free(re);
	return WL_OK;
}

static int match_text(const struct searching *s, const char *text, bool *ret, struct wl_err *reterr)
{
	const struct wl_names *names = &s->ask->served->names;
	const struct wl_pattern part = { .part = text };

	(void)reterr;
	for (size_t i = 0; i < names->n; i++)
		ret[i] = !*text || wl_pattern_matches(&part, names->at[i].text);
	return WL_OK;
}

static int match_names(struct searching *s, struct wl_err *reterr)
{
	const struct wl_names *names = &s->ask->served->names;
	const char *text = wl_query_text(s->ask->query, "q");
	bool *matches = WL_NEW(s->ask->arena, bool, names->n + 1);
	size_t mode;
	int r = wl_query_word(s->ask->query, "mode", modes, &mode, reterr);

	if (r < 0)
		return r;
	if (!text || strlen(text) > MAX_QUERY)
		return wl_fail(reterr, WL_E_USAGE, "q: give at most %d bytes", MAX_QUERY);
	if (!matches || !wl_bare_names_find(&s->ask->served->show, s->ask->arena, &s->domains))
		return wl_fail(reterr, WL_E_NOMEM, "no memory for names");
	s->matches = matches;
	if (mode == MODE_RE)
		return match_regex(s, text, matches, reterr);
	if (mode == MODE_SUB)
		return match_text(s, text, matches, reterr);
	for (size_t i = 0; i < names->n; i++) {
		const char *name = names->at[i].text;

		matches[i] = strcmp(name, text) == 0 ||
			     strcmp(wl_bare_name(&s->domains, name), text) == 0;
	}
	return WL_OK;
}

/* ---- Events ---- */

static bool is_wanted(const struct only *o, const struct wl_web_name *name,
		      const struct wl_lane *lane, size_t i, wl_ns begin)
{
	wl_ns dur = wl_lane_dur(lane, i);

	return dur >= o->min && dur <= o->max && begin >= o->a && begin < o->b &&
	       (name->word == WL_NO_WORD ? o->cats >> lane->cat[i] & 1
					 : o->words >> name->word & 1);
}

static void search_lane(struct searching *s, const struct wl_asked_row *row,
			const struct wl_lane *lane)
{
	const struct wl_names *names = &s->ask->served->names;

	for (size_t i = 0; i < lane->n; i++) {
		uint32_t name = wl_names_of(names, row->row, lane->ref[i], lane->cat[i]);
		wl_ns begin = lane->start[i] - row->origin;

		if (name == WL_NONE || !s->matches[name] ||
		    !is_wanted(&s->only, &names->at[name], lane, i, begin))
			continue;
		offer(s, &(struct hit){ .begin = begin,
					.end = begin + wl_lane_dur(lane, i),
					.row = row->row,
					.ref = lane->ref[i],
					.name = name });
	}
}

static void search_rows(struct searching *s)
{
	const struct wl_served *served = s->ask->served;
	int64_t first_device = 0;

	for (uint32_t i = 0, last = 0; i < wl_show_rows(&served->show); i++) {
		const struct wl_asked_row row = wl_asked_row(served, i);
		const struct wl_track *track = &row.scene->tracks.at[row.track];
		const struct wl_lanes *lanes = &row.scene->lanes[row.track];

		for (; last < row.which; last++)
			first_device += (int64_t)served->show.scene[last]->trace->n_devices;
		if (!wl_row_is_recorded(wl_row_kind(track)) || served->stop)
			continue;
		if (s->only.trace >= 0 && (int64_t)row.which != s->only.trace)
			continue;
		if (s->only.device >= 0 &&
		    (track->device == WL_NONE || first_device + track->device != s->only.device))
			continue;
		for (size_t k = 0; k < lanes->n; k++)
			search_lane(s, &row, &lanes->lane[k]);
	}
}

/* ---- What is asked ---- */

/* "TIME", or "BEGIN,ROW,REF" of the hit before. */
static int read_place(struct searching *s, struct wl_err *reterr)
{
	const char *text = wl_query_text(s->ask->query, "after");
	int64_t hit[3];

	if (!text)
		return WL_OK;
	s->has_place = true;
	if (wl_numbers_parse(text, hit, WL_COUNT(hit))) {
		s->place = (struct hit){ .begin = hit[0],
					 .row = (uint32_t)hit[1],
					 .ref = (uint32_t)hit[2] };
		return WL_OK;
	}
	s->place_is_time = true;
	return wl_query_i64(s->ask->query, "after", -WL_ASK_TIME_MAX, WL_ASK_TIME_MAX,
			    &s->place.begin, reterr);
}

_Static_assert((int)WL_MAX_CATEGORIES <= 64, "a bit per category of operations");

/* What one of both lists names counts; without either, anything. */
static int read_categories(struct searching *s, struct wl_err *reterr)
{
	const struct wl_query *q = s->ask->query;
	size_t n_words = s->ask->served->show.scene[0]->tracks.n_category_words;
	struct wl_number_list cats = { .limit = WL_MAX_LANE_CATS, .max = WL_MAX_LANE_CATS };
	struct wl_number_list words = { .limit = (uint32_t)n_words, .max = WL_MAX_CATEGORIES };
	int r = wl_query_list(q, "cat", s->ask->arena, &cats, reterr);

	if (r == WL_OK)
		r = wl_query_list(q, "word", s->ask->arena, &words, reterr);
	if (r < 0 || (!wl_query_text(q, "cat") && !wl_query_text(q, "word")))
		return r;
	s->only.cats = 0;
	s->only.words = 0;
	for (size_t i = 0; i < cats.n; i++)
		s->only.cats |= UINT32_C(1) << cats.at[i];
	for (size_t i = 0; i < words.n; i++)
		s->only.words |= UINT64_C(1) << words.at[i];
	return WL_OK;
}

static int read_only(struct searching *s, struct wl_err *reterr)
{
	const struct wl_query *q = s->ask->query;
	int r;

	s->only = (struct only){ .max = INT64_MAX,
				 .a = INT64_MIN,
				 .b = INT64_MAX,
				 .device = -1,
				 .trace = -1,
				 .cats = UINT32_MAX,
				 .words = UINT64_MAX };
	r = wl_query_i64(q, "min", 0, INT64_MAX, &s->only.min, reterr);
	if (r == WL_OK)
		r = wl_query_i64(q, "max", 0, INT64_MAX, &s->only.max, reterr);
	if (r == WL_OK)
		r = wl_query_i64(q, "a", -WL_ASK_TIME_MAX, WL_ASK_TIME_MAX, &s->only.a, reterr);
	if (r == WL_OK)
		r = wl_query_i64(q, "b", -WL_ASK_TIME_MAX, WL_ASK_TIME_MAX, &s->only.b, reterr);
	if (r == WL_OK)
		r = wl_query_i64(q, "gpu", -1, UINT32_MAX, &s->only.device, reterr);
	if (r == WL_OK)
		r = wl_query_i64(q, "trace", 0, (int64_t)s->ask->served->show.n - 1, &s->only.trace,
				 reterr);
	return r == WL_OK ? read_categories(s, reterr) : r;
}

static int read_view(struct searching *s, struct wl_err *reterr)
{
	const struct wl_show *show = &s->ask->served->show;
	int64_t width = 1;
	int r = wl_query_i64(s->ask->query, "w", 1, MAX_WIDTH, &width, reterr);

	if (r < 0)
		return r;
	s->view = (struct wl_viewport){ INT64_MAX, INT64_MIN, (uint32_t)width };
	for (size_t i = 0; i < show->n; i++) {
		struct wl_interval at = wl_show_extent(show, i);
		wl_ns origin = wl_show_origin(show, i);

		if (at.begin - origin < s->view.begin)
			s->view.begin = at.begin - origin;
		if (at.end - origin > s->view.end)
			s->view.end = at.end - origin;
	}
	if (s->view.end - s->view.begin < width)
		s->view.end = s->view.begin + width;
	s->hits = WL_NEW(s->ask->arena, uint32_t, (size_t)width);
	return s->hits ? WL_OK : wl_fail(reterr, WL_E_NOMEM, "no memory for hits");
}

/* ---- The answer ---- */

static void put_number(struct wl_jsonw *w, const char *key, int64_t v)
{
	wl_jsonw_key(w, key);
	wl_jsonw_i64(w, v);
}

static void put_hit(const struct searching *s, struct wl_jsonw *w, const char *key,
		    const struct hit *h)
{
	wl_jsonw_key(w, key);
	if (!h) {
		wl_jsonw_null(w);
		return;
	}
	wl_jsonw_begin_object(w);
	put_number(w, "rowId", h->row);
	put_number(w, "ref", h->ref);
	put_number(w, "begin", h->begin);
	put_number(w, "end", h->end);
	wl_jsonw_key(w, "name");
	wl_jsonw_str(w, s->ask->served->names.at[h->name].text);
	wl_jsonw_end_object(w);
}

static int put_answer(const struct searching *s, struct wl_answer *ret, struct wl_err *reterr)
{
	struct wl_json_answer j;
	int r = wl_answer_begin_json(ret, &j, reterr);

	if (r < 0)
		return r;
	wl_jsonw_begin_object(&j.json);
	put_number(&j.json, "total", (int64_t)s->total);
	put_number(&j.json, "index", (int64_t)s->n_before);
	put_hit(s, &j.json, "next", s->has_next ? &s->next : NULL);
	put_hit(s, &j.json, "previous", s->has_previous ? &s->previous : NULL);
	wl_jsonw_key(&j.json, "hits");
	wl_jsonw_begin_array(&j.json);
	for (uint32_t x = 0; x < s->view.width; x++)
		wl_jsonw_i64(&j.json, s->hits[x]);
	wl_jsonw_end_array(&j.json);
	wl_jsonw_end_object(&j.json);
	return wl_answer_end_json(ret, &j, reterr);
}

int wl_answer_search(const struct wl_ask *ask, struct wl_answer *ret, struct wl_err *reterr)
{
	struct searching s = { .ask = ask };
	int r = read_place(&s, reterr);

	if (r == WL_OK)
		r = read_only(&s, reterr);
	if (r == WL_OK)
		r = read_view(&s, reterr);
	if (r == WL_OK)
		r = match_names(&s, reterr);
	if (r < 0)
		return r;
	search_rows(&s);
	return put_answer(&s, ret, reterr);
}
