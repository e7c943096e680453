/* SPDX-License-Identifier: MIT */
/* The traces of a command line, as operands and by --in. */
#include "cli/line/traces.h"

#include <string.h>

#include "support/line.h"
#include "support/unit.h"

enum { ENGINE, MODEL, RULES, ENGINES, ATTRIBUTION, ELAPSED }; /* parameters of categories */

struct taken {
	struct line line;
	struct wl_arena arena;
	struct wl_traces traces;
	struct wl_err err;
};

static int take(struct taken *t, const char *words)
{
	wl_arena_init(&t->arena, 1 << 20);
	assert_int_equal(line_parse(&t->line, words), WL_OK);
	return wl_traces_take(&t->line.inv, &t->arena, &t->traces, &t->err);
}

static void expect_refusal(const char *words, const char *text)
{
	struct taken t;

	assert_int_equal(take(&t, words), WL_E_USAGE);
	if (!strstr(t.err.msg, text))
		fail_msg("\"%s\" does not say \"%s\"", t.err.msg, text);
	wl_arena_release(&t.arena);
}

static void expect_text(const char *have, const char *want)
{
	if (want)
		assert_string_equal(have, want);
	else
		assert_null(have);
}

static void expect_trace(const struct taken *t, size_t i, const char *path, const char *engine,
			 const char *model, const char *elapsed)
{
	const struct wl_named_trace *trace = &t->traces.trace[i];

	assert_string_equal(trace->path, path);
	expect_text(trace->args[ENGINE], engine);
	expect_text(trace->args[MODEL], model);
	expect_text(trace->args[ELAPSED], elapsed);
	expect_text(trace->args[ATTRIBUTION], t->line.inv.param[ATTRIBUTION]);
}

TEST(operands_share_the_options)
{
	struct taken t;

	assert_int_equal(take(&t, "categories a,b,c,0 b --engine vllm --elapsed 12"), WL_OK);
	assert_int_equal(t.traces.n, 2);
	assert_null(t.traces.option);
	expect_trace(&t, 0, "a,b,c,0", "vllm", NULL, "12");
	expect_trace(&t, 1, "b", "vllm", NULL, "12");
	assert_null(t.traces.trace[0].given);
	wl_arena_release(&t.arena);
}

TEST(traces_of_an_option_have_their_own)
{
	struct taken t;

	assert_int_equal(take(&t, "categories --in a,vllm,llama,120 b,sglang,ds,0 --in_file "
				  "c,generic,,1.5 --attribution first"),
			 WL_OK);
	assert_int_equal(t.traces.n, 3);
	assert_string_equal(t.traces.option->key, "in");
	expect_trace(&t, 0, "a", "vllm", "llama", "120");
	expect_trace(&t, 1, "b", "sglang", "ds", "0");
	expect_trace(&t, 2, "c", "generic", NULL, "1.5");
	assert_string_equal(t.traces.trace[1].given, "b,sglang,ds,0");
	wl_arena_release(&t.arena);
}

TEST(a_file_may_have_commas)
{
	struct taken t;

	assert_int_equal(take(&t, "categories --in a,b,,c.sqlite,vllm,llama,1 ,,vllm,m,2"), WL_OK);
	expect_trace(&t, 0, "a,b,,c.sqlite", "vllm", "llama", "1");
	expect_trace(&t, 1, ",", "vllm", "m", "2");
	wl_arena_release(&t.arena);
}

TEST(what_is_wrong_is_told_with_an_example)
{
	expect_refusal("categories --in a.sqlite",
		       "--in a.sqlite: give FILE,ENGINE,MODEL,ELAPSED: a trace with its own "
		       "arguments, such as run.nsys-rep,vllm,llama,120");
	expect_refusal("categories --in a,vllm,llama", "give FILE,ENGINE,MODEL,ELAPSED");
	expect_refusal("categories --in ,vllm,llama,1", "give FILE,ENGINE,MODEL,ELAPSED");
	expect_refusal("categories --in \"\"", "give FILE,ENGINE,MODEL,ELAPSED");
	expect_refusal("categories --in a,v,m,1 b,v,m,1 a,v,n,2", "a is given twice");
	expect_refusal("categories --in a,v,m,1 --engine vllm",
		       "--engine: each trace of --in has its own; leave it out");
	expect_refusal("categories x --in a,v,m,1",
		       "categories: give traces either as x or with --in, not both");
	expect_refusal("categories", "no trace given; usage: warplens categories TRACE...");
}

/* However little there is: an answer or a complaint. */
TEST(memory_may_end_anywhere)
{
	struct taken t;
	int r = WL_E_NOMEM;

	assert_int_equal(line_parse(&t.line, "categories --in a,v,m,1 b,v,m,1"), WL_OK);
	for (size_t budget = 0; r == WL_E_NOMEM; budget += 8) {
		wl_arena_init(&t.arena, budget);
		r = wl_traces_take(&t.line.inv, &t.arena, &t.traces, &t.err);
		assert_true(r == WL_OK || strstr(t.err.msg, "no memory"));
		wl_arena_release(&t.arena);
	}
	assert_int_equal(r, WL_OK);
}
