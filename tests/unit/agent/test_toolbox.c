/* SPDX-License-Identifier: MIT */
#include "agent/tools/toolbox.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "support/toolbox_expect.h"
#include "support/unit.h"

TEST(a_trace_gets_one_handle)
{
	struct wl_toolbox *box = toolbox_make();
	struct toolbox_reply a, b;

	toolbox_expect_error(box, "findings", NULL, "usage", "open_trace");
	a = toolbox_expect(box, "open_trace", "{\"path\": \"FIXTURES/steps.sqlite\"}");
	b = toolbox_expect(box, "open_trace", "{\"path\": \"t1\"}");
	assert_string_equal(toolbox_text(&a, "trace"), "t1");
	assert_string_equal(a.reply.json, b.reply.json);
	assert_true(toolbox_size(&a, "gpus") > 0);
	assert_true(toolbox_size(&a, "next") > 0);
	toolbox_assert_has(a.reply.json, "\"step\":{");
	toolbox_reply_release(&a);
	toolbox_reply_release(&b);
	a = toolbox_expect(box, "findings", NULL); /* the only one */
	toolbox_reply_release(&a);
	a = toolbox_expect(box, "analyze",
			   "{\"verb\": \"kernels\", \"trace\": \"FIXTURES/tiny.sqlite\"}");
	assert_string_equal(toolbox_text(&a, "trace"), "t2");
	toolbox_reply_release(&a);
	toolbox_expect_error(box, "findings", NULL, "usage", "t1 (steps.sqlite), t2 (tiny.sqlite)");
	toolbox_expect_error(box, "findings", "{\"trace\": \"t7\"}", "usage", "t1 (steps");
	toolbox_expect_error(box, "open_trace", "{\"path\": \"/nowhere/x\"}", "io", "/nowhere/x");
	/* What cannot be opened takes no handle, however often it is tried. */
	toolbox_expect_error(box, "open_trace", "{\"path\": \"/dev/null\"}", "io", "null");
	toolbox_expect_error(box, "findings", "{\"trace\": \"/dev/null\"}", "io", "null");
	toolbox_expect_error(box, "findings", "{\"trace\": \"t3\"}", "usage", "t2 (tiny.sqlite)");
	a = toolbox_expect(box, "open_trace", "{\"path\": \"FIXTURES/host.sqlite\"}");
	assert_string_equal(toolbox_text(&a, "trace"), "t3");
	toolbox_reply_release(&a);
	wl_toolbox_free(box);
}

/* More than may be open at a time: each is opened again when it is asked. */
TEST(handles_outlive_open_traces)
{
	static const char *const names[] = { "apart",  "graphs",  "host",  "nested",   "nodes",
					     "stages", "streams", "waits", "two_ranks" };
	struct wl_toolbox *box = toolbox_make();

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
			r = toolbox_expect(box, "analyze", args);
			assert_string_equal(toolbox_text(&r, "trace"), id);
			toolbox_assert_has(toolbox_text(&r, "how"), names[i]);
			toolbox_reply_release(&r);
		}
	}
	wl_toolbox_free(box);
}

TEST(mistakes_say_what_was_meant)
{
	struct wl_toolbox *box = toolbox_make();
	struct toolbox_reply r =
		toolbox_expect(box, "open_trace", "{\"path\": \"FIXTURES/steps.sqlite\"}");

	toolbox_reply_release(&r);
	toolbox_expect_error(box, "analyze", "{\"verb\": \"kernel\"}", "usage",
			     "did you mean kernels?");
	toolbox_expect_error(box, "analyze", "{}", "usage", "verb");
	toolbox_expect_error(box, "analyze", "{\"verb\": \"kernels\", \"windw\": \"all\"}", "usage",
			     "did you mean window?");
	toolbox_expect_error(box, "analyze",
			     "{\"verb\": \"kernels\", \"options\": {\"bye\": \"x\"}}", "usage",
			     "did you mean by?");
	toolbox_expect_error(box, "analyze", "{\"verb\": \"kernels\", \"options\": 7}", "usage",
			     "object");
	toolbox_expect_error(box, "analyze", "{\"verb\": \"kernels\", \"sort\": \"summ\"}", "usage",
			     "sum");
	toolbox_expect_error(box, "analyze", "{\"verb\": \"kernels\", \"window\": \"39..42\"}",
			     "usage", "unit");
	toolbox_expect_error(box, "analyze", "{\"verb\": \"kernels\", \"limit\": 0}", "usage",
			     "limit");
	toolbox_expect_error(box, "analyze", "{\"verb\": \"kernels\", \"gpu\": 77}", "no_match",
			     "77");
	toolbox_expect_error(box, "analyze", "{\"verb\": \"kernels\", \"cursor\": \"3-abc\"}",
			     "usage", "cursor");
	toolbox_expect_error(box, "analyze", "{\"verb\": \"kernels\", \"key\": \"kernels:0\"}",
			     "usage", "key");
	toolbox_expect_error(box, "analyze",
			     "{\"verb\": \"kernels\", \"options\": {\"rules\": \"/etc/x\"}}",
			     "usage", "rules");
	toolbox_expect_error(box, "describe", "{\"name\": \"kernelz\"}", "usage", "kernels");
	toolbox_expect_error(box, "describe", "{\"kind\": \"dog\"}", "usage", "kind");
	r = toolbox_ask(box, "analyse", "{}", NULL);
	assert_int_equal(r.status, WL_E_USAGE);
	toolbox_assert_has(r.err.msg, "did you mean analyze?");
	toolbox_reply_release(&r);
	wl_toolbox_free(box);
}

/* Page by page, every row comes once, and no page is above the bound. */
TEST(a_bound_cuts_at_the_end_of_a_row)
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

/* A row by its key is that row, with its texts. */
TEST(a_key_finds_its_row)
{
	struct wl_toolbox *box = toolbox_make();
	struct toolbox_reply all = toolbox_expect(box, "analyze",
						  "{\"verb\": \"kernels\", \"trace\": "
						  "\"FIXTURES/steps.sqlite\"}");
	const struct wl_json *keys = wl_json_member(all.doc, "keys");

	assert_true(wl_json_size(keys) > 1);
	for (size_t i = 0; i < wl_json_size(keys); i++) {
		char args[200];
		struct toolbox_reply r;

		(void)snprintf(args, sizeof(args), "{\"verb\": \"kernels\", \"key\": \"%s\"}",
			       wl_json_string(wl_json_at(keys, i)));
		r = toolbox_expect(box, "analyze", args);
		assert_int_equal(toolbox_size(&r, "rows"), 1);
		toolbox_reply_release(&r);
	}
	toolbox_reply_release(&all);
	wl_toolbox_free(box);
}

/* Names of a trace are not to be trusted: no control character survives, none in \u form either. */
TEST(hostile_names_are_neutralised)
{
	static const char *const verbs[] = { "kernels", "nvtx", "ops", "tree", "api", "findings" };
	struct wl_toolbox *box = toolbox_make();

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

TEST(a_cancelled_call_says_nothing)
{
	static const atomic_int stop = 1;
	const struct wl_call how = { .cancel = &stop };
	struct wl_toolbox *box = toolbox_make();
	struct toolbox_reply r =
		toolbox_ask(box, "open_trace", "{\"path\": \"FIXTURES/steps.sqlite\"}", &how);

	assert_int_equal(r.status, WL_E_CANCELED);
	assert_null(r.reply.json);
	/* The trace can still be asked. */
	r = toolbox_expect(box, "findings", "{\"trace\": \"t1\"}");
	toolbox_reply_release(&r);
	r = toolbox_ask(box, "analyze", "{\"trace\": \"t1\", \"verb\": \"path\"}", &how);
	assert_int_equal(r.status, WL_E_CANCELED);
	r = toolbox_expect(box, "analyze", "{\"trace\": \"t1\", \"verb\": \"kernels\"}");
	toolbox_reply_release(&r);
	wl_toolbox_free(box);
}

TEST(names_are_described)
{
	static const char *const names[] = { "kernels",      "nvtx_kernels", "exposed_comm",
					     "launch-bound", "gpus",         "StringIds",
					     "exposed-copy", "budget",       "sql",
					     "diff",         "open_trace",   "analyze" };
	struct wl_toolbox *box = toolbox_make();
	struct toolbox_reply r = toolbox_expect(box, "describe", NULL);

	assert_true(toolbox_size(&r, "matches") > 40);
	assert_true(r.reply.n < WL_REPLY_BYTES);
	toolbox_reply_release(&r);
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		char args[100];

		(void)snprintf(args, sizeof(args), "{\"name\": \"%s\"}", names[i]);
		r = toolbox_expect(box, "describe", args);
		assert_true(toolbox_size(&r, "matches") > 0);
		toolbox_reply_release(&r);
	}
	wl_toolbox_free(box);
}

/* A name twice among the choices makes a schema invalid for some clients. */
TEST(verbs_are_listed_once)
{
	FREED char *text = wl_tool_schema_text(wl_tool_find("analyze")->input);
	const struct wl_json *verbs;
	struct wl_json *doc;
	struct wl_err err;

	assert_int_equal(wl_json_parse(text, strlen(text), "analyze", &doc, &err), WL_OK);
	verbs = wl_json_member(wl_json_member(wl_json_member(doc, "properties"), "verb"), "enum");
	assert_true(wl_json_size(verbs) > 40);
	for (size_t i = 0; i < wl_json_size(verbs); i++) {
		for (size_t k = 0; k < i; k++)
			assert_string_not_equal(wl_json_string(wl_json_at(verbs, i)),
						wl_json_string(wl_json_at(verbs, k)));
	}
	wl_json_free(doc);
}

TEST(schemas_are_objects)
{
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
