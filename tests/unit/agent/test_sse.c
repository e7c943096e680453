/* SPDX-License-Identifier: MIT */
#include "agent/llm/sse.h"

#include <stdio.h>
#include <string.h>

#include "base/attr.h"
#include "support/unit.h"

/* Events as "name|data;" one after another. */
struct heard {
	struct wl_text text;
	size_t stop_after;
	size_t n;
};

static bool hear(void *context, const char *name, const char *data, size_t n)
{
	struct heard *h = context;

	assert_int_equal(strlen(data), n);
	wl_text_puts(&h->text, name);
	wl_text_puts(&h->text, "|");
	wl_text_put(&h->text, data, n);
	wl_text_puts(&h->text, ";");
	return ++h->n != h->stop_after;
}

static void expect(const char *stream, size_t n, const char *events)
{
	for (size_t piece = 1; piece <= n; piece++) {
		struct heard h = { 0 };
		struct wl_sse s = { .event = hear, .context = &h };

		for (size_t at = 0; at < n; at += piece)
			assert_true(wl_sse_take(&s, stream + at, n - at < piece ? n - at : piece));
		if (strcmp(wl_text_get(&h.text), events) != 0)
			fail_msg("in pieces of %zu: \"%s\", not \"%s\"", piece,
				 wl_text_get(&h.text), events);
		wl_sse_release(&s);
		wl_text_release(&h.text);
	}
}

TEST(events_are_the_same_in_any_pieces)
{
	static const char *const cases[][2] = {
		{ "data: a\n\n", "|a;" },
		{ "data:a\n\ndata:  b\n\n", "|a;| b;" },
		{ "event: ping\ndata: {\"x\":1}\n\n", "ping|{\"x\":1};" },
		{ "event: ping\n\ndata: a\n\n", "|a;" },
		{ "data: a\ndata: b\n\n", "|a\nb;" },
		{ "data\n\n", "|;" },
		{ "data: a\r\n\r\ndata: b\r\rdata: c\n\n", "|a;|b;|c;" },
		{ ": comment\nid: 7\nretry: 9\ndata: a\n\n", "|a;" },
		{ "\xEF\xBB\xBF"
		  "data: \xC3\xA4\xE2\x82\xAC\n\n",
		  "|\xC3\xA4\xE2\x82\xAC;" },
		{ "data: never ended", "" },
		{ "data: never ended\n", "" },
		{ "\n\n\n", "" },
		{ "datax: a\nDATA: b\n\n", "" },
	};

	for (size_t i = 0; i < WL_COUNT(cases); i++)
		expect(cases[i][0], strlen(cases[i][0]), cases[i][1]);
}

TEST(a_listener_can_stop)
{
	struct heard h = { .stop_after = 1 };
	struct wl_sse s = { .event = hear, .context = &h };

	assert_false(wl_sse_take(&s, "data: a\n\ndata: b\n\n", 18));
	assert_false(wl_sse_take(&s, "data: c\n\n", 9));
	assert_string_equal(wl_text_get(&h.text), "|a;");
	wl_sse_release(&s);
	wl_text_release(&h.text);
}

TEST(endless_lines_are_refused)
{
	struct heard h = { 0 };
	struct wl_sse s = { .event = hear, .context = &h };
	char much[1024];
	size_t taken = 0;

	memset(much, 'x', sizeof(much));
	s.line.max = s.data.max = 10000;
	while (wl_sse_take(&s, much, sizeof(much)))
		taken += sizeof(much);
	assert_true(taken <= 10000);
	wl_sse_release(&s);
}
