/* SPDX-License-Identifier: MIT */
/*
 * answer_search.c - events whose name matches, in all of the traces: how many,
 * where, and the nearest ones on both sides of a place; or the longest, and sums.
 */
#include <string.h>

#include "base/text/pattern.h"
#include "base/text/regex.h"
#include "derive/lanes/columns.h"
#include "serve/answers/found.h"
#include "serve/answers/search_only.h"
#include "serve/shown/bare_names.h"

enum { MAX_WIDTH = 8192, MAX_QUERY = 1000, MAX_LIST = 1000 };
enum mode { MODE_SUB, MODE_RE, MODE_EXACT };

static const char *const modes[] = { "sub", "re", "exact", NULL };

struct searching {
	const struct wl_ask *ask;
	const bool *matches; /* by name */
	struct wl_bare_names domains;
	struct wl_search_only only;
	struct wl_hit place; /* the next is behind it, the previous before */
	bool has_place, place_is_time;
	bool has_next, has_previous;
	struct wl_hit next, previous;
	uint64_t total, n_before; /* n_before: of all matches, those before next */
	struct wl_viewport view;  /* the extent of all traces */
	uint32_t *hits;           /* by column */
	struct wl_found *found;   /* the list and sums are asked for instead; NULL: not */
};

/* < 0: before the place, > 0: behind it. All is behind no place. */
static int side_of(const struct searching *s, const struct wl_hit *h)
{
	if (!s->has_place)
		return 1;
	if (s->place_is_time)
		return h->begin < s->place.begin ? -1 : h->begin > s->place.begin;
	return wl_hit_compare(h, &s->place);
}

static void offer(struct searching *s, const struct wl_hit *h)
{
	int side = side_of(s, h);

	s->total++;
	s->hits[wl_viewport_column(&s->view, h->begin)]++;
	s->n_before += side <= 0;
	if (side > 0 && (!s->has_next || wl_hit_compare(h, &s->next) < 0)) {
		s->next = *h;
		s->has_next = true;
	} else if (side < 0 && (!s->has_previous || wl_hit_compare(h, &s->previous) > 0)) {
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

static void search_lane(struct searching *s, const struct wl_asked_row *row,
			const struct wl_lane *lane)
{
	const struct wl_names *names = &s->ask->served->names;

	for (size_t i = 0; i < lane->n; i++) {
		uint32_t name = wl_names_of(names, row->row, lane->ref[i], lane->cat[i]);
		wl_ns begin = lane->start[i] - row->origin;

		const struct wl_hit hit = { .begin = begin,
					    .end = begin + wl_lane_dur(lane, i),
					    .row = row->row,
					    .ref = lane->ref[i],
					    .name = name,
					    .category = lane->cat[i] };

		if (name == WL_NONE || !s->matches[name] ||
		    !wl_search_only_event(&s->only, s->ask->served, row, lane, i, &names->at[name]))
			continue;
		if (s->found)
			wl_found_add(s->found, row, &hit);
		else
			offer(s, &hit);
	}
}

static void search_rows(struct searching *s)
{
	const struct wl_served *served = s->ask->served;

	for (uint32_t i = 0; i < wl_show_rows(&served->show) && !served->stop; i++) {
		const struct wl_asked_row row = wl_asked_row(served, i);
		const struct wl_lanes *lanes = &row.scene->lanes[row.track];

		if (!wl_search_only_row(&s->only, served, &row))
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
		s->place = (struct wl_hit){ .begin = hit[0],
					    .row = (uint32_t)hit[1],
					    .ref = (uint32_t)hit[2] };
		return WL_OK;
	}
	s->place_is_time = true;
	return wl_query_i64(s->ask->query, "after", -WL_ASK_TIME_MAX, WL_ASK_TIME_MAX,
			    &s->place.begin, reterr);
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

static int put_answer(const struct searching *s, struct wl_answer *ret, struct wl_err *reterr)
{
	struct wl_json_answer j;
	int r = wl_answer_begin_json(ret, &j, reterr);

	if (r < 0)
		return r;
	wl_jsonw_begin_object(&j.json);
	wl_jsonw_put_i64(&j.json, "total", (int64_t)s->total);
	wl_jsonw_put_i64(&j.json, "index", (int64_t)s->n_before);
	wl_hit_put(&j.json, s->ask->served, "next", s->has_next ? &s->next : NULL);
	wl_hit_put(&j.json, s->ask->served, "previous", s->has_previous ? &s->previous : NULL);
	wl_jsonw_open_array(&j.json, "hits");
	for (uint32_t x = 0; x < s->view.width; x++)
		wl_jsonw_i64(&j.json, s->hits[x]);
	wl_jsonw_end_array(&j.json);
	wl_jsonw_end_object(&j.json);
	return wl_answer_end_json(ret, &j, reterr);
}

/* Sums and the longest hits, in place of the nearest. */
static int put_found(const struct searching *s, struct wl_answer *ret, struct wl_err *reterr)
{
	struct wl_json_answer j;
	int r = wl_answer_begin_json(ret, &j, reterr);

	if (r < 0)
		return r;
	wl_jsonw_begin_object(&j.json);
	wl_found_put(s->found, &j.json);
	wl_jsonw_end_object(&j.json);
	return wl_answer_end_json(ret, &j, reterr);
}

static int read_list(struct searching *s, struct wl_found *found, struct wl_err *reterr)
{
	int64_t n = 0;
	int r = wl_query_i64(s->ask->query, "list", 1, MAX_LIST, &n, reterr);

	if (r < 0 || n == 0)
		return r;
	if (!wl_found_init(found, s->ask, (size_t)n))
		return wl_fail(reterr, WL_E_NOMEM, "no memory for hits");
	s->found = found;
	return WL_OK;
}

int wl_answer_search(const struct wl_ask *ask, struct wl_answer *ret, struct wl_err *reterr)
{
	struct searching s = { .ask = ask };
	struct wl_found found;
	int r = read_place(&s, reterr);

	if (r == WL_OK)
		r = wl_search_only_read(ask, &s.only, reterr);
	if (r == WL_OK)
		r = read_view(&s, reterr);
	if (r == WL_OK)
		r = match_names(&s, reterr);
	if (r == WL_OK)
		r = read_list(&s, &found, reterr);
	if (r < 0)
		return r;
	search_rows(&s);
	return s.found ? put_found(&s, ret, reterr) : put_answer(&s, ret, reterr);
}
