/* SPDX-License-Identifier: MIT */
#include "agent/tools/toolbox.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "agent/tools/tool_words.h"
#include "support/toolbox.h"
#include "support/unit.h"

static void assert_has(const char *text, const char *words)
{
	if (!strstr(text, words))
		fail_msg("\"%s\" is not in: %s", words, text);
}

/* The call fails as a result, of this kind and with these words. */
static void expect_error(struct wl_toolbox *box, const char *tool, const char *args,
			 const char *kind, const char *words)
{
	struct toolbox_reply r = toolbox_ask(box, tool, args, NULL);

	assert_int_equal(r.status, WL_OK);
	assert_true(r.reply.is_error);
	assert_string_equal(toolbox_text(&r, "kind"), kind);
	assert_has(toolbox_text(&r, "error"), words);
	assert_true(strlen(toolbox_text(&r, "next")) > 0);
	toolbox_reply_release(&r);
}

static struct toolbox_reply expect_reply(struct wl_toolbox *box, const char *tool, const char *args)
{
	struct toolbox_reply r = toolbox_ask(box, tool, args, NULL);

	assert_int_equal(r.status, WL_OK);
	if (r.reply.is_error)
		fail_msg("%s %s: %s", tool, args, r.reply.json);
	return r;
}

static void a_trace_gets_one_handle(void **state)
{
	struct wl_toolbox *box = toolbox_make();
	struct toolbox_reply a, b;

	(void)state;
	expect_error(box, "findings", NULL, "usage", "open_trace");
	a = expect_reply(box, "open_trace", "{\"path\": \"FIXTURES/steps.sqlite\"}");
	b = expect_reply(box, "open_trace", "{\"path\": \"t1\"}");
	assert_string_equal(toolbox_text(&a, "trace"), "t1");
	assert_string_equal(a.reply.json, b.reply.json);
	assert_true(toolbox_size(&a, "gpus") > 0);
	assert_true(toolbox_size(&a, "next") > 0);
	assert_has(a.reply.json, "\"step\":{");
	toolbox_reply_release(&a);
	toolbox_reply_release(&b);
	a = expect_reply(box, "findings", NULL); /* the only one */
	toolbox_reply_release(&a);
	a = expect_reply(box, "analyze",
			 "{\"verb\": \"kernels\", \"trace\": \"FIXTURES/tiny.sqlite\"}");
	assert_string_equal(toolbox_text(&a, "trace"), "t2");
	toolbox_reply_release(&a);
	expect_error(box, "findings", NULL, "usage", "t1 (steps.sqlite), t2 (tiny.sqlite)");
	expect_error(box, "findings", "{\"trace\": \"t7\"}", "usage", "t1 (steps");
	expect_error(box, "open_trace", "{\"path\": \"/nowhere/x\"}", "io", "/nowhere/x");
	/* What cannot be opened takes no handle, however often it is tried. */
	expect_error(box, "open_trace", "{\"path\": \"/dev/null\"}", "io", "null");
	expect_error(box, "findings", "{\"trace\": \"/dev/null\"}", "io", "null");
	expect_error(box, "findings", "{\"trace\": \"t3\"}", "usage", "t2 (tiny.sqlite)");
	a = expect_reply(box, "open_trace", "{\"path\": \"FIXTURES/host.sqlite\"}");
	assert_string_equal(toolbox_text(&a, "trace"), "t3");
	toolbox_reply_release(&a);
	wl_toolbox_free(box);
}

/* More than may be open at a time: each is opened again when it is asked. */
static void handles_outlive_open_traces(void **state)
{
	static const char *const names[] = { "apart",  "graphs",  "host",  "nested",   "nodes",
					     "stages", "streams", "waits", "two_ranks" };
	struct wl_toolbox *box = toolbox_make();

	(void)state;
	for (int round = 0; round < 2; round++) {
		for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
			char args[200], id[8];
			struct toolbox_reply r;

			(void)snprintf(id, sizeof(id), "t%zu", i + 1);
			if (round == 0)
				(void)snprintf(args, sizeof(args),
					       "{\"verb\": \"gpus\", \"trace\": "
					       "\"FIXTURES/%s.sqlite\"}",
					       names[i]);
			else
				(void)snprintf(args, sizeof(args),
					       "{\"verb\": \"gpus\", \"trace\": \"%s\"}", id);
			r = expect_reply(box, "analyze", args);
			assert_string_equal(toolbox_text(&r, "trace"), id);
			assert_has(toolbox_text(&r, "how"), names[i]);
			toolbox_reply_release(&r);
		}
	}
	wl_toolbox_free(box);
}

static void mistakes_say_what_was_meant(void **state)
{
	struct wl_toolbox *box = toolbox_make();
	struct toolbox_reply r =
		expect_reply(box, "open_trace", "{\"path\": \"FIXTURES/steps.sqlite\"}");

	(void)state;
	toolbox_reply_release(&r);
	expect_error(box, "analyze", "{\"verb\": \"kernel\"}", "usage", "did you mean kernels?");
	expect_error(box, "analyze", "{}", "usage", "verb");
	expect_error(box, "analyze", "{\"verb\": \"kernels\", \"windw\": \"all\"}", "usage",
		     "did you mean window?");
	expect_error(box, "analyze", "{\"verb\": \"kernels\", \"options\": {\"bye\": \"x\"}}",
		     "usage", "did you mean by?");
	expect_error(box, "analyze", "{\"verb\": \"kernels\", \"options\": 7}", "usage", "object");
	expect_error(box, "analyze", "{\"verb\": \"kernels\", \"sort\": \"summ\"}", "usage", "sum");
	expect_error(box, "analyze", "{\"verb\": \"kernels\", \"window\": \"39..42\"}", "usage",
		     "unit");
	expect_error(box, "analyze", "{\"verb\": \"kernels\", \"limit\": 0}", "usage", "limit");
	expect_error(box, "analyze", "{\"verb\": \"kernels\", \"gpu\": 77}", "no_match", "77");
	expect_error(box, "analyze", "{\"verb\": \"kernels\", \"cursor\": \"3-abc\"}", "usage",
		     "cursor");
	expect_error(box, "analyze", "{\"verb\": \"kernels\", \"key\": \"kernels:0\"}", "usage",
		     "key");
	expect_error(box, "analyze",
		     "{\"verb\": \"kernels\", \"options\": {\"rules\": \"/etc/x\"}}", "usage",
		     "rules");
	expect_error(box, "describe", "{\"name\": \"kernelz\"}", "usage", "kernels");
	expect_error(box, "describe", "{\"kind\": \"dog\"}", "usage", "kind");
	r = toolbox_ask(box, "analyse", "{}", NULL);
	assert_int_equal(r.status, WL_E_USAGE);
	assert_has(r.err.msg, "did you mean analyze?");
	toolbox_reply_release(&r);
	wl_toolbox_free(box);
}

/* Notes and errors name what a tool takes. */
static void replies_have_the_words_of_tools(void **state)
{
	static const struct {
		const char *said, *wanted;
	} texts[] = {
		{ "select less, or raise --timeout", "select less, or raise seconds" },
		{ "--window 39..42: no unit", "window 39..42: no unit" },
		{ "see --by stage, --gpu", "see options.by stage, gpu" },
		{ "record with --trace=cuda --gpu-metrics-devices=0 --gpu=0",
		  "record with --trace=cuda --gpu-metrics-devices=0 --gpu=0" },
		{ "a--window", "a--window" },
		{ "set --marker", "set marker" },
	};
	struct wl_toolbox *box = toolbox_make();
	struct wl_arena arena;

	(void)state;
	wl_arena_init(&arena, 1 << 20);
	for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++)
		assert_string_equal(wl_tool_words(texts[i].said, &arena), texts[i].wanted);
	wl_arena_release(&arena);
	expect_error(box, "sql",
		     "{\"trace\": \"FIXTURES/steps.sqlite\", \"seconds\": 1, \"query\": \"WITH "
		     "RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT max(i) "
		     "FROM n\"}",
		     "timeout", "raise seconds");
	expect_error(box, "sql", "{\"query\": \"ATTACH 'x' AS y\"}", "usage",
		     "compare two with diff");
	expect_error(box, "analyze", "{\"verb\": \"kernels\", \"window\": \"x..y\"}", "usage",
		     "window");
	wl_toolbox_free(box);
}

/* Times of a reply can be copied into a window; small numbers without a unit are refused. */
static void times_of_replies_are_windows(void **state)
{
	static const struct {
		const char *window, *spec;
	} texts[] = { { "..99000000000", "\"spec\":\"..99000000000ns\"" },
		      { "0..99000000000", "\"spec\":\"0ns..99000000000ns\"" },
		      { "0..99s", "\"spec\":\"0ns..99s\"" } };
	struct wl_toolbox *box = toolbox_make();
	struct toolbox_reply r =
		expect_reply(box, "open_trace", "{\"path\": \"FIXTURES/steps.sqlite\"}");

	(void)state;
	toolbox_reply_release(&r);
	for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
		char args[128];

		(void)snprintf(args, sizeof(args), "{\"verb\": \"kernels\", \"window\": \"%s\"}",
			       texts[i].window);
		r = expect_reply(box, "analyze", args);
		assert_has(r.reply.json, texts[i].spec);
		toolbox_reply_release(&r);
	}
	expect_error(box, "analyze", "{\"verb\": \"kernels\", \"window\": \"0..42\"}", "usage",
		     "unit");
	wl_toolbox_free(box);
}

/* Page by page, every row comes once, and no page is above the bound. */
static void a_bound_cuts_at_the_end_of_a_row(void **state)
{
	const struct wl_call small = { .bytes = WL_REPLY_LEAST }, large = { .bytes = 1 << 22 };
	struct wl_toolbox *box = toolbox_make();
	struct toolbox_reply all = toolbox_ask(box, "analyze",
					       "{\"verb\": \"ops\", \"trace\": "
					       "\"FIXTURES/streams.sqlite\", \"limit\": 2000}",
					       &large);
	const struct wl_json *keys = wl_json_member(all.doc, "keys");
	size_t n = 0, pages = 0;
	char cursor[100] = "";

	(void)state;
	assert_true(toolbox_number(&all, "total_rows") == (double)wl_json_size(keys));
	do {
		char args[256];
		struct toolbox_reply r;
		const struct wl_json *some;

		(void)snprintf(args, sizeof(args), "{\"verb\": \"ops\", \"cursor\": \"%s\"}",
			       cursor);
		r = toolbox_ask(box, "analyze", args, &small);
		assert_int_equal(r.status, WL_OK);
		assert_false(r.reply.is_error);
		assert_true(r.reply.n <= WL_REPLY_LEAST);
		some = wl_json_member(r.doc, "keys");
		assert_int_equal(wl_json_size(some), toolbox_size(&r, "rows"));
		for (size_t i = 0; i < wl_json_size(some); i++, n++)
			assert_string_equal(wl_json_string(wl_json_at(some, i)),
					    wl_json_string(wl_json_at(keys, n)));
		(void)snprintf(cursor, sizeof(cursor), "%s", toolbox_text(&r, "next_cursor"));
		assert_true(!cursor[0] || strlen(toolbox_text(&r, "cut")) > 0);
		toolbox_reply_release(&r);
		pages++;
	} while (cursor[0]);
	assert_int_equal(n, wl_json_size(keys));
	assert_true(pages > 1);
	toolbox_reply_release(&all);
	wl_toolbox_free(box);
}

/* Rows above the number that one run keeps are reached by cursor, and no bound is told as a total.
 */
static void cursors_of_sql_reach_every_row(void **state)
{
	const struct wl_call large = { .bytes = 1 << 22 };
	struct wl_toolbox *box = toolbox_make();
	double next = 1;
	char cursor[100] = "";

	(void)state;
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
		for (size_t i = 0; i < wl_json_size(rows); i++, next++) {
			double number = 0;

			assert_true(wl_json_number(wl_json_at(wl_json_at(rows, i), 0), &number));
			assert_true(number == next);
		}
		(void)snprintf(cursor, sizeof(cursor), "%s", toolbox_text(&r, "next_cursor"));
		if (wl_json_member(r.doc, "total_is_at_least"))
			assert_true(cursor[0] && toolbox_number(&r, "total_rows") <= 4321);
		else
			assert_true(toolbox_number(&r, "total_rows") == 4321);
		toolbox_reply_release(&r);
	} while (cursor[0]);
	assert_true(next == 4322);
	wl_toolbox_free(box);
}

/* Fewer rows than asked for: the reply says that its size is the reason. */
static void a_full_reply_says_so(void **state)
{
	const struct wl_call small = { .bytes = WL_REPLY_LEAST };
	struct wl_toolbox *box = toolbox_make();
	struct toolbox_reply r =
		toolbox_ask(box, "sql",
			    "{\"trace\": \"FIXTURES/streams.sqlite\", \"limit\": 2000, "
			    "\"query\": \"SELECT * FROM ops\"}",
			    &small);

	(void)state;
	assert_int_equal(r.status, WL_OK);
	assert_has(toolbox_text(&r, "cut"), "fits into a reply");
	assert_true(r.reply.n <= WL_REPLY_LEAST);
	toolbox_reply_release(&r);
	wl_toolbox_free(box);
}

/* A row by its key is that row, with its texts. */
static void a_key_finds_its_row(void **state)
{
	struct wl_toolbox *box = toolbox_make();
	struct toolbox_reply all = expect_reply(box, "analyze",
						"{\"verb\": \"kernels\", \"trace\": "
						"\"FIXTURES/steps.sqlite\"}");
	const struct wl_json *keys = wl_json_member(all.doc, "keys");

	(void)state;
	assert_true(wl_json_size(keys) > 1);
	for (size_t i = 0; i < wl_json_size(keys); i++) {
		char args[200];
		struct toolbox_reply r;

		(void)snprintf(args, sizeof(args), "{\"verb\": \"kernels\", \"key\": \"%s\"}",
			       wl_json_string(wl_json_at(keys, i)));
		r = expect_reply(box, "analyze", args);
		assert_int_equal(toolbox_size(&r, "rows"), 1);
		toolbox_reply_release(&r);
	}
	toolbox_reply_release(&all);
	wl_toolbox_free(box);
}

/* Names of a trace are not to be trusted: no control character survives, none in \u form either. */
static void hostile_names_are_neutralised(void **state)
{
	static const char *const verbs[] = { "kernels", "nvtx", "ops", "tree", "api", "findings" };
	struct wl_toolbox *box = toolbox_make();

	(void)state;
	for (size_t i = 0; i < sizeof(verbs) / sizeof(verbs[0]); i++) {
		char args[200];
		struct toolbox_reply r;

		(void)snprintf(args, sizeof(args),
			       "{\"verb\": \"%s\", \"trace\": \"FIXTURES/hostile.sqlite\"}",
			       verbs[i]);
		r = toolbox_ask(box, "analyze", args, NULL);
		assert_int_equal(r.status, WL_OK);
		assert_true(r.reply.n <= WL_REPLY_BYTES);
		for (size_t k = 0; k < r.reply.n; k++)
			assert_true((unsigned char)r.reply.json[k] >= ' ');
		assert_null(strstr(r.reply.json, "\\u00"));
		assert_null(strstr(r.reply.json, "\\u202e"));
		toolbox_reply_release(&r);
	}
	wl_toolbox_free(box);
}

static void a_cancelled_call_says_nothing(void **state)
{
	static const atomic_int stop = 1;
	const struct wl_call how = { .cancel = &stop };
	struct wl_toolbox *box = toolbox_make();
	struct toolbox_reply r =
		toolbox_ask(box, "open_trace", "{\"path\": \"FIXTURES/steps.sqlite\"}", &how);

	(void)state;
	assert_int_equal(r.status, WL_E_CANCELED);
	assert_null(r.reply.json);
	/* The trace can still be asked. */
	r = expect_reply(box, "findings", "{\"trace\": \"t1\"}");
	toolbox_reply_release(&r);
	wl_toolbox_free(box);
}

/* Handles of both sides for further calls, and what the verdict does not cover. */
static void a_comparison_says_what_it_compares(void **state)
{
	static const char *const sections[] = { "verdict", "budget", "kernels" };
	struct wl_toolbox *box = toolbox_make();
	struct toolbox_reply r =
		expect_reply(box, "open_trace", "{\"path\": \"FIXTURES/steps.sqlite\"}");

	(void)state;
	toolbox_reply_release(&r);
	r = expect_reply(box, "open_trace", "{\"path\": \"FIXTURES/stages.sqlite\"}");
	toolbox_reply_release(&r);
	for (size_t i = 0; i < sizeof(sections) / sizeof(sections[0]); i++) {
		char args[256];

		(void)snprintf(args, sizeof(args),
			       "{\"before\": \"t1\", \"after\": \"t2\", \"section\": \"%s\"}",
			       sections[i]);
		r = expect_reply(box, "diff", args);
		assert_has(r.reply.json, "before: t1, 2 GPUs, 2 processes");
		assert_has(r.reply.json, "after: t2, 2 GPUs, 2 processes");
		assert_has(r.reply.json, "run to run are not in it");
		toolbox_reply_release(&r);
	}
	wl_toolbox_free(box);
}

static void names_are_described(void **state)
{
	static const char *const names[] = { "kernels",      "nvtx_kernels", "exposed_comm",
					     "launch-bound", "gpus",         "StringIds",
					     "exposed-copy", "budget",       "sql",
					     "diff",         "open_trace",   "analyze" };
	struct wl_toolbox *box = toolbox_make();
	struct toolbox_reply r = expect_reply(box, "describe", NULL);

	(void)state;
	assert_true(toolbox_size(&r, "matches") > 40);
	assert_true(r.reply.n < WL_REPLY_BYTES);
	toolbox_reply_release(&r);
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		char args[100];

		(void)snprintf(args, sizeof(args), "{\"name\": \"%s\"}", names[i]);
		r = expect_reply(box, "describe", args);
		assert_true(toolbox_size(&r, "matches") > 0);
		toolbox_reply_release(&r);
	}
	wl_toolbox_free(box);
}

/* A name twice among the choices makes a schema invalid for some clients. */
static void verbs_are_listed_once(void **state)
{
	char *text = wl_tool_schema_text(wl_tool_find("analyze")->input);
	const struct wl_json *verbs;
	struct wl_json *doc;
	struct wl_err err;

	(void)state;
	assert_int_equal(wl_json_parse(text, strlen(text), "analyze", &doc, &err), WL_OK);
	verbs = wl_json_member(wl_json_member(wl_json_member(doc, "properties"), "verb"), "enum");
	assert_true(wl_json_size(verbs) > 40);
	for (size_t i = 0; i < wl_json_size(verbs); i++) {
		for (size_t k = 0; k < i; k++)
			assert_string_not_equal(wl_json_string(wl_json_at(verbs, i)),
						wl_json_string(wl_json_at(verbs, k)));
	}
	wl_json_free(doc);
	free(text);
}

static void schemas_are_objects(void **state)
{
	(void)state;
	for (const struct wl_tool *t = wl_tools; t->name; t++) {
		void (*const schemas[])(struct wl_jsonw *) = { t->input, t->output };

		assert_true(strlen(t->description) <= 2048);
		for (size_t i = 0; i < 2; i++) {
			char *text = wl_tool_schema_text(schemas[i]);
			struct wl_json *doc;
			struct wl_err err;

			assert_non_null(text);
			assert_int_equal(wl_json_parse(text, strlen(text), t->name, &doc, &err),
					 WL_OK);
			assert_string_equal(wl_json_string(wl_json_member(doc, "type")), "object");
			assert_null(wl_json_member(doc, "anyOf"));
			wl_json_free(doc);
			free(text);
		}
	}
}

TEST_MAIN(toolbox)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_trace_gets_one_handle),
		cmocka_unit_test(handles_outlive_open_traces),
		cmocka_unit_test(mistakes_say_what_was_meant),
		cmocka_unit_test(replies_have_the_words_of_tools),
		cmocka_unit_test(times_of_replies_are_windows),
		cmocka_unit_test(a_bound_cuts_at_the_end_of_a_row),
		cmocka_unit_test(cursors_of_sql_reach_every_row),
		cmocka_unit_test(a_full_reply_says_so),
		cmocka_unit_test(a_key_finds_its_row),
		cmocka_unit_test(hostile_names_are_neutralised),
		cmocka_unit_test(a_cancelled_call_says_nothing),
		cmocka_unit_test(a_comparison_says_what_it_compares),
		cmocka_unit_test(names_are_described),
		cmocka_unit_test(verbs_are_listed_once),
		cmocka_unit_test(schemas_are_objects),
	};

	return cmocka_run_group_tests_name("toolbox", tests, NULL, NULL);
}
