/* SPDX-License-Identifier: MIT */
#include "serve/http/routes.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/text/json_read.h"
#include "derive/lanes/columns.h"
#include "support/served.h"
#include "support/unit.h"

static int make(void **state)
{
	struct served *s = malloc(sizeof(*s));

	assert_non_null(s);
	served_make(s);
	*state = s;
	return 0;
}

static int drop(void **state)
{
	served_release(*state);
	free(*state);
	return 0;
}

static uint32_t u32(const char *p)
{
	uint32_t v;

	memcpy(&v, p, sizeof(v));
	return v;
}

static uint32_t row_of(const struct served *s, enum wl_track_kind kind)
{
	const struct wl_tracks *tracks = &s->viewed.scene.tracks;

	for (uint32_t i = 0; i < tracks->n; i++) {
		if (tracks->at[i].kind == kind && s->viewed.scene.lanes[i].n > 0)
			return i;
	}
	fail_msg("no such row");
	return 0;
}

WL_PRINTF(2, 3)
static struct wl_answer ask(struct served *s, const char *fmt, ...)
{
	char question[256];
	va_list ap;

	va_start(ap, fmt);
	(void)vsnprintf(question, sizeof(question), fmt, ap);
	va_end(ap);
	return served_ask(s, question);
}

static struct wl_json *json_of(struct wl_answer *a)
{
	struct wl_json *doc = NULL;
	struct wl_err err;

	assert_int_equal(a->status, 200);
	assert_string_equal(a->type, "application/json");
	assert_int_equal(wl_json_parse(a->bytes, a->n, "answer", &doc, &err), WL_OK);
	wl_answer_release(a);
	return doc;
}

static double number(const struct wl_json *v, const char *key)
{
	double d = -1;

	assert_true(wl_json_number(wl_json_member(v, key), &d));
	return d;
}

TEST_WITH(a_view_is_what_lanes_draw, make, drop)
{
	enum { W = 70, ORIGIN = 0 };
	struct served *s = *state;
	const struct wl_scene *d = &s->viewed.scene;
	wl_ns origin = wl_show_origin(&s->served.show, 0);
	const struct wl_viewport v = { origin, origin + 700, W };
	struct wl_answer a = ask(s, "view?a=0&b=700&w=%d&rows=0-%zu", W, d->tracks.n - 1);
	const char *at = a.bytes;

	assert_int_equal(a.status, 200);
	assert_int_equal(u32(at), 0x31564c57);
	assert_int_equal(u32(at + 4), 1);
	assert_int_equal(u32(at + 8), W);
	assert_int_equal(u32(at + 12), d->tracks.n);
	at += 32;
	for (size_t i = 0; i < d->tracks.n; i++) {
		struct wl_picture_column want[W];

		assert_int_equal(u32(at), i);
		assert_int_equal(u32(at + 4), d->lanes[i].n);
		at += 8;
		for (size_t k = 0; k < d->lanes[i].n; k++, at += sizeof(want)) {
			wl_lane_draw(&d->lanes[i].lane[k], &v, want);
			assert_memory_equal(at, want, sizeof(want));
		}
	}
	assert_int_equal(at - a.bytes, a.n);
	wl_answer_release(&a);
}

/* By the longest event of each column: its name, its length, the range around its launch. */
TEST_WITH(a_view_tells_of_the_longest_events, make, drop)
{
	enum { W = 7, LANE = W * 2 };
	struct served *s = *state;
	uint32_t row = row_of(s, WL_TRACK_STREAM);
	wl_ns origin = wl_show_origin(&s->served.show, 0);
	const char *want[W] = { NULL, "gemm", "gemm", NULL, "gemm", NULL, "a # b" };
	struct wl_answer a = ask(s, "view?a=%" PRId64 "&b=%" PRId64 "&w=%d&rows=%u&by=name",
				 -origin, 700 - origin, W, row);

	assert_int_equal(a.n, 32 + 8 + LANE + W * 4);
	for (int x = 0; x < W; x++) {
		uint32_t name = u32(a.bytes + 40 + LANE + (size_t)x * 4);

		if (want[x])
			assert_string_equal(s->served.names.at[name].text, want[x]);
		else
			assert_int_equal(name, UINT32_MAX);
	}
	wl_answer_release(&a);
	a = ask(s, "view?a=%" PRId64 "&b=%" PRId64 "&w=2&rows=%u&by=duration", -origin,
		700 - origin, row);
	assert_int_equal(u32(a.bytes + 44), 200);
	assert_int_equal(u32(a.bytes + 48), 100);
	wl_answer_release(&a);
	a = ask(s, "view?a=%" PRId64 "&b=%" PRId64 "&w=2&rows=%u&by=nvtx", -origin, 700 - origin,
		row);
	assert_string_equal(s->served.names.at[u32(a.bytes + 44)].text, "inner");
	assert_string_equal(s->served.names.at[u32(a.bytes + 48)].text, "step 1");
	wl_answer_release(&a);
}

/* Both streams of the GPU in two lanes, with the rows that events are of. */
TEST_WITH(streams_are_merged_when_asked, make, drop)
{
	struct served *s = *state;
	const struct wl_tracks *tracks = &s->viewed.scene.tracks;
	uint32_t gpu = row_of(s, WL_TRACK_GPU), merged = (uint32_t)tracks->n + gpu;
	wl_ns origin = wl_show_origin(&s->served.show, 0);
	struct wl_answer a = ask(s, "events?row=%u&a=0&b=700", merged);
	struct wl_json *doc;

	assert_int_equal(a.status, 200);
	assert_int_equal(a.n, 64);
	wl_answer_release(&a);
	for (int twice = 0; twice < 2; twice++) {
		a = ask(s, "merge?row=%u", gpu);
		doc = json_of(&a);
		assert_int_equal((int)number(doc, "lanes"), 2);
		wl_json_free(doc);
	}
	a = ask(s, "events?row=%u&a=%" PRId64 "&b=%" PRId64 "&by=stream", merged, -origin,
		700 - origin);
	assert_int_equal(a.n, 64 + 4 * (26 + 4 + 4));
	for (size_t i = 0; i < 4; i++) {
		const char *value = a.bytes + 64 + 4 * (size_t)26 + 4 * i;
		uint32_t row = u32(value + 4 * (size_t)4);

		assert_int_equal(tracks->at[row].kind, WL_TRACK_STREAM);
		assert_int_equal(u32(value), row);
	}
	wl_answer_release(&a);
	a = ask(s, "view?a=0&b=700&w=7&rows=%u", merged);
	assert_int_equal(a.n, 32 + 8 + 2 * 7 * 2);
	wl_answer_release(&a);
	a = ask(s, "stats?a=0&b=700&rows=%u", merged);
	assert_int_equal(a.status, 400);
	wl_answer_release(&a);
}

TEST_WITH(events_come_in_columns, make, drop)
{
	struct served *s = *state;
	uint32_t row = row_of(s, WL_TRACK_STREAM);
	struct wl_answer a = ask(s, "events?row=%u&a=150&b=450", row);
	wl_ns origin = wl_show_origin(&s->served.show, 0);
	double start[2], dur[2];

	assert_int_equal(a.status, 200);
	assert_int_equal(a.n, 64 + 2 * 26);
	assert_int_equal(u32(a.bytes), 60);
	assert_memory_equal(a.bytes + 4, "{\"n\":2,\"truncated\":false}", 25);
	memcpy(start, a.bytes + 64, sizeof(start));
	memcpy(dur, a.bytes + 80, sizeof(dur));
	assert_true(start[0] == (double)(100 - origin) && start[1] == (double)(400 - origin));
	assert_true(dur[0] == 200 && dur[1] == 100);
	assert_int_equal(u32(a.bytes + 96), u32(a.bytes + 100));
	assert_string_equal(s->served.names.at[u32(a.bytes + 96)].text, "gemm");
	wl_answer_release(&a);
	a = ask(s, "events?row=%u&a=150&b=450&by=duration", row);
	assert_int_equal(a.n, 64 + 2 * 30);
	assert_int_equal(u32(a.bytes + 64 + 52), 200);
	assert_int_equal(u32(a.bytes + 64 + 56), 100);
	wl_answer_release(&a);
	a = ask(s, "events?row=%u&a=0&b=700&max=1", row);
	assert_memory_equal(a.bytes + 4, "{\"n\":1,\"truncated\":true}", 24);
	wl_answer_release(&a);
}

TEST_WITH(names_are_texts_and_categories, make, drop)
{
	struct served *s = *state;
	struct wl_answer a = ask(s, "names?from=0&n=1000");
	struct wl_json *doc = json_of(&a);

	assert_int_equal(wl_json_size(doc), s->served.names.n);
	for (size_t i = 0; i < s->served.names.n; i++)
		assert_string_equal(wl_json_string(wl_json_at(wl_json_at(doc, i), 0)),
				    s->served.names.at[i].text);
	wl_json_free(doc);
	a = ask(s, "names?from=4000000000");
	doc = json_of(&a);
	assert_int_equal(wl_json_size(doc), 0);
	wl_json_free(doc);
}

TEST_WITH(an_event_has_facts_and_links, make, drop)
{
	struct served *s = *state;
	const struct wl_scene *d = &s->viewed.scene;
	uint32_t row = row_of(s, WL_TRACK_STREAM);
	struct wl_answer a = ask(s, "event?row=%u&ref=%u", row, d->lanes[row].lane[0].ref[0]);
	struct wl_json *doc = json_of(&a);
	const struct wl_json *links = wl_json_member(doc, "links");

	assert_string_equal(wl_json_string(wl_json_member(doc, "name")), "gemm");
	assert_true(number(doc, "end") - number(doc, "begin") == 200);
	assert_int_equal(wl_json_size(links), 3);
	assert_string_equal(wl_json_string(wl_json_member(wl_json_at(links, 0), "label")),
			    "Launch");
	assert_string_equal(wl_json_string(wl_json_member(wl_json_at(links, 1), "label")),
			    "NVTX inner");
	assert_string_equal(wl_json_string(wl_json_member(wl_json_at(links, 2), "label")),
			    "NVTX step 1");
	assert_true(number(wl_json_member(doc, "usual"), "count") == 2);
	wl_json_free(doc);
	a = ask(s, "event?row=%u&ref=%u&at=7", row, d->lanes[row].lane[0].ref[0]);
	assert_int_equal(a.status, 404);
	wl_answer_release(&a);
}

/* Each event of each row can be asked for, and each link leads to one that can. */
TEST_WITH(every_link_leads_somewhere, make, drop)
{
	struct served *s = *state;
	const struct wl_scene *d = &s->viewed.scene;
	wl_ns origin = wl_show_origin(&s->served.show, 0);

	for (uint32_t row = 0; row < d->tracks.n; row++) {
		for (size_t k = 0; k < d->lanes[row].n; k++) {
			const struct wl_lane *l = &d->lanes[row].lane[k];

			for (size_t i = 0; i < l->n; i++) {
				struct wl_answer a = ask(s, "event?row=%u&ref=%u&at=%" PRId64, row,
							 l->ref[i], l->start[i] - origin);
				struct wl_json *doc = json_of(&a);
				const struct wl_json *links = wl_json_member(doc, "links");

				for (size_t n = 0; n < wl_json_size(links); n++) {
					const struct wl_json *to = wl_json_at(links, n);

					a = ask(s, "event?row=%.0f&ref=%.0f&at=%.0f",
						number(to, "rowId"), number(to, "ref"),
						number(to, "begin"));
					assert_int_equal(a.status, 200);
					wl_answer_release(&a);
				}
				wl_json_free(doc);
			}
		}
	}
}

static const struct wl_json *cell(const struct wl_json *doc, size_t row, size_t col)
{
	return wl_json_at(wl_json_at(wl_json_member(doc, "rows"), row), col);
}

static double value(const struct wl_json *v)
{
	double d = -1;

	assert_true(wl_json_number(v, &d));
	return d;
}

TEST_WITH(statistics_count_what_is_inside, make, drop)
{
	enum { COUNT = 1, SUM, UNION, AVG, P50 };
	struct served *s = *state;
	wl_ns origin = wl_show_origin(&s->served.show, 0);
	struct wl_answer a = ask(s, "stats?a=%" PRId64 "&b=%" PRId64 "&rows=0-%zu&by=nvtx",
				 200 - origin, 650 - origin, s->viewed.scene.tracks.n - 1);
	struct wl_json *doc = json_of(&a);

	/* step 1: 400-500, 600-600, 250-450; inner: 200-300. */
	assert_int_equal(wl_json_size(wl_json_member(doc, "rows")), 2);
	assert_string_equal(wl_json_string(cell(doc, 0, 0)), "step 1");
	assert_true(value(cell(doc, 0, COUNT)) == 3 && value(cell(doc, 0, SUM)) == 300);
	assert_true(value(cell(doc, 0, UNION)) == 250 && value(cell(doc, 0, AVG)) == 100);
	assert_true(value(cell(doc, 0, P50)) == 100);
	assert_string_equal(wl_json_string(cell(doc, 1, 0)), "inner");
	assert_true(value(cell(doc, 1, SUM)) == 100);
	wl_json_free(doc);
	a = ask(s, "stats?a=%" PRId64 "&b=%" PRId64 "&rows=%u&by=name", 200 - origin, 450 - origin,
		row_of(s, WL_TRACK_STREAM));
	doc = json_of(&a);
	assert_string_equal(wl_json_string(cell(doc, 0, 0)), "gemm");
	assert_true(value(cell(doc, 0, COUNT)) == 2 && value(cell(doc, 0, SUM)) == 150);
	wl_json_free(doc);
}

TEST_WITH(a_search_finds_all_and_the_nearest, make, drop)
{
	struct served *s = *state;
	wl_ns origin = wl_show_origin(&s->served.show, 0);
	struct wl_answer a = ask(s, "search?q=GEM&mode=sub&w=7&after=%" PRId64, 200 - origin);
	struct wl_json *doc = json_of(&a);

	assert_true(number(doc, "total") == 2 && number(doc, "index") == 1);
	assert_true(number(wl_json_member(doc, "next"), "begin") == (double)(400 - origin));
	assert_true(number(wl_json_member(doc, "previous"), "begin") == (double)(100 - origin));
	assert_int_equal(wl_json_size(wl_json_member(doc, "hits")), 7);
	wl_json_free(doc);
	a = ask(s, "search?q=%%5Egemm%%24&mode=re&min=150");
	doc = json_of(&a);
	assert_true(number(doc, "total") == 1);
	wl_json_free(doc);
	a = ask(s, "search?q=gem&mode=exact");
	doc = json_of(&a);
	assert_true(number(doc, "total") == 0);
	wl_json_free(doc);
	a = ask(s, "search?q=(&mode=re");
	assert_int_equal(a.status, 400);
	wl_answer_release(&a);
}

TEST_WITH(bad_requests_are_told_so, make, drop)
{
	static const char *const bad[] = {
		"view",
		"view?a=0&b=100",
		"view?a=0&b=100&w=0",
		"view?a=0&b=100&w=101",
		"view?a=0&b=100000&w=8193",
		"view?a=100&b=0&w=1",
		"view?a=0&b=100&w=10&rows=9999",
		"view?a=0&b=100&w=10&x=1",
		"view?a=0&b=100&w=10&rows=0&by=colour",
		"view?a=0&b=9007199254740993&w=10",
		"events?a=0&b=1",
		"events?row=0&a=0&b=1&max=0",
		"events?row=0&a=0&b=1&max=200001",
		"events?row=-1&a=0&b=1",
		"names?from=-1",
		"names?n=10001",
		"event?row=0",
		"event?row=0&ref=4294967296",
		"stats?a=0&b=1&by=x",
		"gaps?a=0&b=1&device=7",
		"search",
		"search?q=a&cat=99",
		"search?q=a&after=1,2",
		"table?verb=passwd",
		"export?fmt=exe",
		"stacks?during=never",
		"stacks?verb=stacks",
		"sql",
		"sql?q=SELECT+1&trace=9",
		"sql?q=SELECT+1&timeout=1",
		"meta?x=1",
	};

	for (size_t i = 0; i < WL_COUNT(bad); i++) {
		struct wl_answer a = served_ask(*state, bad[i]);

		if (a.status != 400)
			fail_msg("%s: %d", bad[i], a.status);
		wl_answer_release(&a);
	}
}

TEST_WITH(while_loading_only_progress_answers, make, drop)
{
	struct served *s = *state;
	struct wl_answer a;

	atomic_store(&s->served.state, WL_SERVED_LOADING);
	a = served_ask(s, "meta");
	assert_int_equal(a.status, 503);
	wl_answer_release(&a);
	a = served_ask(s, "progress");
	assert_int_equal(a.status, 200);
	wl_answer_release(&a);
	a = served_ask(s, "");
	assert_int_equal(a.status, 200);
	assert_true(a.is_page);
	wl_answer_release(&a);
	assert_null(wl_route_find("passwd"));
}

TEST(paths_of_files_are_queries)
{
	static const char *const bad[] = { "export",
					   "export/perfetto/",
					   "export/perfetto/1-2/0.pftrace/",
					   "export/perfetto/1-2/0.pftrace?x",
					   "export/perfetto/1-2/-0.pftrac",
					   "export/perfetto/1-/0.pftrace",
					   "export/perfetto/-1/0.pftrace",
					   "export/perfetto/1-2/.pftrace",
					   "export/perfetto/1-2/../0.pftrace",
					   "export/perfetto/1&b=0-2/0.pftrace",
					   "export/chrome/1-2/0.pftrace",
					   "export/perfetto/1234567890123456789-2/0.pftrace" };
	char query[WL_FILE_QUERY_BUF];

	assert_true(wl_route_parse_file("export/perfetto/15-700/1.pftrace", query));
	assert_string_equal(query, "fmt=perfetto&a=15&b=700&trace=1");
	assert_true(wl_route_parse_file("export/perfetto/-7--3/0.pftrace", query));
	assert_string_equal(query, "fmt=perfetto&a=-7&b=-3&trace=0");
	for (size_t i = 0; i < WL_COUNT(bad); i++)
		assert_false(wl_route_parse_file(bad[i], query));
}

TEST_WITH(who_is_told_to_stop_has_no_answer, make, drop)
{
	struct served *s = *state;
	struct wl_answer a;

	wl_served_give_up(&s->served);
	a = served_ask(s, "search?q=gemm");
	assert_int_equal(a.status, 503);
	wl_answer_release(&a);
	wl_served_resume(&s->served);
	a = served_ask(s, "search?q=gemm");
	assert_int_equal(a.status, 200);
	wl_answer_release(&a);
	wl_served_end(&s->served);
	wl_served_resume(&s->served);
	a = served_ask(s, "search?q=gemm");
	assert_int_equal(a.status, 503);
	wl_answer_release(&a);
}
