/* SPDX-License-Identifier: MIT */
#include <stdio.h>
#include <string.h>

#include "support/toolbox_expect.h"
#include "support/unit.h"

/* No text is searched for what it could say in other words: it quotes names and paths. */
TEST(errors_quote_what_was_given)
{
	struct wl_toolbox *box = toolbox_make();

	toolbox_expect_error(box, "open_trace",
			     "{\"path\": \"/tmp/--window/--gpu, or use --show-environment --by\"}",
			     "io", "/tmp/--window/--gpu, or use --show-environment --by");
	toolbox_expect_error(
		box, "sql",
		"{\"trace\": \"FIXTURES/steps.sqlite\", \"seconds\": 1, \"query\": \"WITH "
		"RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT max(i) "
		"FROM n\"}",
		"timeout", "give more seconds");
	toolbox_expect_error(box, "sql", "{\"query\": \"ATTACH 'x' AS y\"}", "usage",
			     "diff compares two");
	toolbox_expect_error(box, "analyze", "{\"verb\": \"kernels\", \"window\": \"x..y\"}",
			     "usage", "window");
	wl_toolbox_free(box);
}

/* Times of a reply can be copied into a window; small numbers without a unit are refused. */
TEST(times_of_replies_are_windows)
{
	static const struct {
		const char *window, *spec;
	} texts[] = { { "..99000000000", "\"spec\":\"..99000000000ns\"" },
		      { "0..99000000000", "\"spec\":\"0ns..99000000000ns\"" },
		      { "0..99s", "\"spec\":\"0ns..99s\"" } };
	struct wl_toolbox *box = toolbox_make();
	struct toolbox_reply r =
		toolbox_expect(box, "open_trace", "{\"path\": \"FIXTURES/steps.sqlite\"}");

	toolbox_reply_release(&r);
	for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
		char args[128];

		(void)snprintf(args, sizeof(args), "{\"verb\": \"kernels\", \"window\": \"%s\"}",
			       texts[i].window);
		r = toolbox_expect(box, "analyze", args);
		toolbox_assert_has(r.reply.json, texts[i].spec);
		toolbox_reply_release(&r);
	}
	toolbox_expect_error(box, "analyze", "{\"verb\": \"kernels\", \"window\": \"0..42\"}",
			     "usage", "unit");
	wl_toolbox_free(box);
}

/* Rows above the number that one run keeps are reached by cursor, and no bound is reported as a
 * total.
 */
TEST(cursors_of_sql_reach_every_row)
{
	const struct wl_call large = { .bytes = 1 << 22 };
	struct wl_toolbox *box = toolbox_make();
	size_t n = 0;
	char cursor[100] = "";

	do {
		char args[512];
		struct toolbox_reply r;
		const struct wl_json *rows;

		(void)snprintf(
			args, sizeof(args),
			"{\"trace\": \"FIXTURES/steps.sqlite\", \"limit\": 1500, \"cursor\": "
			"\"%s\", \"query\": \"WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL "
			"SELECT i + 1 FROM n WHERE i < 4321) SELECT i FROM n\"}",
			cursor);
		r = toolbox_ask(box, "sql", args, &large);
		assert_int_equal(r.status, WL_OK);
		assert_false(r.reply.is_error);
		rows = wl_json_member(r.doc, "rows");
		for (size_t i = 0; i < wl_json_size(rows); i++, n++) {
			double number = 0;

			assert_true(wl_json_number(wl_json_at(wl_json_at(rows, i), 0), &number));
			assert_true(number == (double)(n + 1));
		}
		(void)snprintf(cursor, sizeof(cursor), "%s", toolbox_text(&r, "next_cursor"));
		if (wl_json_member(r.doc, "total_is_at_least"))
			assert_true(cursor[0] && toolbox_number(&r, "total_rows") <= 4321);
		else
			assert_true(toolbox_number(&r, "total_rows") == 4321);
		toolbox_reply_release(&r);
	} while (cursor[0]);
	assert_int_equal(n, 4321);
	wl_toolbox_free(box);
}

/* Fewer rows than asked for: the reply says that its size is the reason. */
TEST(a_full_reply_says_so)
{
	const struct wl_call small = { .bytes = WL_REPLY_LEAST };
	struct wl_toolbox *box = toolbox_make();
	struct toolbox_reply r =
		toolbox_ask(box, "sql",
			    "{\"trace\": \"FIXTURES/streams.sqlite\", \"limit\": 2000, "
			    "\"query\": \"SELECT * FROM ops\"}",
			    &small);

	assert_int_equal(r.status, WL_OK);
	toolbox_assert_has(toolbox_text(&r, "cut"), "fits into a reply");
	assert_true(r.reply.n <= WL_REPLY_LEAST);
	toolbox_reply_release(&r);
	wl_toolbox_free(box);
}

/* Handles of both sides for further calls, and what the verdict does not cover. */
TEST(a_comparison_says_what_it_compares)
{
	static const char *const sections[] = { "verdict", "budget", "kernels" };
	struct wl_toolbox *box = toolbox_make();
	struct toolbox_reply r =
		toolbox_expect(box, "open_trace", "{\"path\": \"FIXTURES/steps.sqlite\"}");

	toolbox_reply_release(&r);
	r = toolbox_expect(box, "open_trace", "{\"path\": \"FIXTURES/stages.sqlite\"}");
	toolbox_reply_release(&r);
	for (size_t i = 0; i < sizeof(sections) / sizeof(sections[0]); i++) {
		char args[256];

		(void)snprintf(args, sizeof(args),
			       "{\"before\": \"t1\", \"after\": \"t2\", \"section\": \"%s\"}",
			       sections[i]);
		r = toolbox_expect(box, "diff", args);
		toolbox_assert_has(r.reply.json, "before: t1, 2 GPUs, 2 processes");
		toolbox_assert_has(r.reply.json, "after: t2, 2 GPUs, 2 processes");
		toolbox_assert_has(r.reply.json,
				   "the interval covers variation between steps, not between runs");
		toolbox_reply_release(&r);
	}
	wl_toolbox_free(box);
}
