/* SPDX-License-Identifier: MIT */
/* The verb categories, and through it derive/kinds/category_times.c. */
#include "analysis/registered.h"

#include <string.h>

#include "base/text/json_read.h"
#include "derive/kinds/category_times.h"
#include "known/exports/codes.h"
#include "support/answer.h"
#include "support/unit.h"

static const char rules[] =
	"{\"t\": {\"m\": {\"^a\": \"A\", \"^b\": \"B\", \"^c\": \"C\", \"memcpy\": \"M\"}}}";

struct asked_doc {
	struct asked x;
	struct wl_json *docs[WL_MAX_PARAMS];
};

static void init(struct asked_doc *d)
{
	memset(d->docs, 0, sizeof(d->docs));
	asked_init(&d->x, "categories");
	assert_int_equal(wl_json_parse(rules, strlen(rules), "t", &d->docs[2], NULL), WL_OK);
	d->x.q.docs = d->docs;
}

static void release(struct asked_doc *d)
{
	asked_release(&d->x);
	wl_json_free(d->docs[2]);
}

static void kernel(struct asked_doc *d, wl_ns start, wl_ns end, unsigned stream, const char *name)
{
	MEM_OP(&d->x.mem, WL_F_KERNELS, .start = start, .end = end, .stream = stream, .name = name);
}

static void ask_how(struct asked_doc *d, const char *how)
{
	const char *const args[WL_MAX_PARAMS] = { "t", NULL, NULL, NULL, how };

	ask(&d->x, args);
}

static void expect(const struct asked_doc *d, size_t row, const char *category, int64_t active,
		   int64_t exclusive, int64_t elapsed)
{
	assert_string_equal(answer_str(&d->x.a, row, "category"), category);
	expect_i64(&d->x.a, row, "active", active);
	expect_i64(&d->x.a, row, "exclusive", exclusive);
	expect_i64(&d->x.a, row, "elapsed", elapsed);
}

/*
 * a  0-10, 20-30      b  5-25      c  22-24      other  40-41
 */
TEST(time_is_attributed_once)
{
	WITH(struct asked_doc, d, release, init(&d));

	kernel(&d, 0, 10, 7, "a");
	kernel(&d, 20, 30, 7, "a2");
	kernel(&d, 5, 25, 8, "b");
	kernel(&d, 22, 24, 9, "c");
	kernel(&d, 40, 41, 9, "x");
	ask_how(&d, "share");
	assert_int_equal(d.x.a.table.n_rows, 4);
	/* a: 5 + 5/2 + 2/2 + 2/3 + 1/2 + 5 = 14 2/3; b: 5/2 + 10 + 1 + 2/3 + 1/2 = 14 2/3; c: 2/3
	 */
	expect(&d, 0, "A", 20, 10, 15);
	expect(&d, 1, "B", 20, 10, 15);
	expect(&d, 2, "C", 2, 0, 0); /* ties of remainders go by the order of rules */
	expect(&d, 3, "(other)", 1, 1, 1);
	expect_cells(&d.x.a, 0, "instances=2; sum=20; busy=31; cpu=10");
	assert_true(answer_f64(&d.x.a, 0, "share") == 15.0 / 31.0);
	ask_how(&d, "first");
	expect(&d, 0, "A", 20, 10, 15);
	expect(&d, 1, "B", 20, 10, 15);
	ask_how(&d, "last");
	expect(&d, 0, "A", 20, 10, 13);
	expect(&d, 1, "B", 20, 10, 15);
	expect(&d, 2, "C", 2, 0, 2);
}

TEST(equal_starts_go_by_stream_then_row)
{
	WITH(struct asked_doc, d, release, init(&d));

	kernel(&d, 0, 10, 9, "a");
	kernel(&d, 0, 10, 8, "b");
	kernel(&d, 0, 10, 8, "c"); /* a later row of the stream */
	ask_how(&d, "first");
	expect(&d, 0, "A", 10, 0, 0);
	expect(&d, 1, "B", 10, 0, 10);
	ask_how(&d, "last");
	expect(&d, 0, "A", 10, 0, 10);
}

/* The one that started first counts even where both started before the window. */
TEST(a_window_keeps_who_started_first)
{
	WITH(struct asked_doc, d, release, init(&d));
	const char *const args[WL_MAX_PARAMS] = { "t", NULL, NULL, NULL, "first", "3ns" };

	kernel(&d, 1, 100, 7, "b");
	kernel(&d, 0, 100, 9, "a");
	kernel(&d, 50, 50, 9, "c"); /* an instance without a length */
	d.x.q.trace = mem_seal(&d.x.mem);
	mem_scope_window(&d.x.scope, d.x.q.trace, 40, 60);
	d.x.q.args = args;
	answer_get(&d.x.a, &d.x.q);
	assert_int_equal(d.x.a.table.n_rows, 3);
	expect(&d, 0, "A", 20, 0, 20);
	expect(&d, 1, "B", 20, 0, 0);
	expect(&d, 2, "C", 0, 0, 0);
	assert_false(answer_is_set(&d.x.a, 0, "cpu"));
	assert_true(answer_has_note(&d.x.a, "the elapsed time that was given is shorter"));
}

TEST(the_wall_is_given_in_seconds_or_is_the_window)
{
	WITH(struct asked, x, asked_release, asked_init(&x, "categories"));
	const char *args[WL_MAX_PARAMS] = { "vllm", "bert", NULL, NULL, NULL, "2" };

	MEM_OP(&x.mem, WL_F_KERNELS, .start = 10, .end = 30, .name = "gemm");
	MEM_OP(&x.mem, WL_F_KERNELS, .start = 40, .end = 50, .name = "gemm");
	ask(&x, args);
	expect_i64(&x.a, 0, "cpu", INT64_C(2000000000) - 30);
	assert_true(answer_has_note(&x.a, "vllm has no rules of its own for the model bert"));
	args[5] = "0";
	ask(&x, args);
	expect_i64(&x.a, 0, "cpu", 10);
}

TEST(fused_kernels_are_noted)
{
	WITH(struct asked, x, asked_release, asked_init(&x, "categories"));
	const char *args[WL_MAX_PARAMS] = { "generic" };

	MEM_OP(&x.mem, WL_F_KERNELS, .start = 10, .end = 30, .name = "rmsNormLamport");
	MEM_OP(&x.mem, WL_F_KERNELS, .start = 40, .end = 50, .name = "sm100_bf16_mega_moe_impl");
	ask(&x, args);
	assert_true(answer_has_note(&x.a, "1 kernel fuses communication and compute: all of its "
					  "time counts as communication"));
}

TEST(arguments_are_checked_before_a_trace_is_read)
{
	union wl_arg arg[WL_MAX_PARAMS] = { { .str = "vllm" }, { .str = "llama" } };
	struct wl_err err;

	assert_int_equal(wl_analysis_categories.check(arg, &err), WL_OK);
	arg[0].str = "vlm";
	assert_int_equal(wl_analysis_categories.check(arg, &err), WL_E_USAGE);
	assert_string_equal(err.msg,
			    "categories: no rules for the engine 'vlm': give --rules FILE or "
			    "--engines DIR (else ~/.config/warplens/engines), or put "
			    "engine_vlm.json beside the trace; built in are "
			    "generic, nvfuser, sglang, tensorrt-llm, "
			    "transformer-engine, vllm, xla");
}

TEST(copies_sets_and_graphs_have_names)
{
	WITH(struct asked_doc, d, release, init(&d));

	MEM_OP(&d.x.mem, WL_F_MEMCPYS, .start = 0, .end = 1, .kind = 1);
	MEM_OP(&d.x.mem, WL_F_MEMSETS, .start = 1, .end = 2);
	MEM_OP(&d.x.mem, WL_F_GRAPHS, .start = 2, .end = 3);
	MEM_OP(&d.x.mem, WL_F_GRAPHS, .start = 2, .end = 3, .device = 1);
	ask_how(&d, NULL);
	assert_int_equal(d.x.a.table.n_rows, 4);
	expect(&d, 0, "M", 1, 1, 1);
	expect(&d, 1, "(other)", 1, 1, 1);
	expect(&d, 2, "(graph)", 1, 1, 1);
	expect_i64(&d.x.a, 3, "device", 1);
	assert_true(answer_has_note(&d.x.a, "2 CUDA graph replays"));
	assert_true(d.x.a.table.coverage[0].have == 1 && d.x.a.table.coverage[0].of == 4);
}

/* 64 categories with all remainders there can be: exact, and whole. */
TEST(shares_of_all_counts_add_up)
{
	enum { N = WL_MAX_CATEGORIES, STRIDE = WL_MAX_CATEGORIES + 1 };
	static wl_ns ns[N * STRIDE];
	wl_ns share[N], total = 0, sum = 0;

	/* For each k one stretch with the first k categories, long and not divisible. */
	for (unsigned k = 1; k <= N; k++) {
		wl_ns length = (INT64_C(1) << 55) + 1 + k;

		total += length;
		for (unsigned c = 0; c < k; c++)
			ns[c * STRIDE + k] = length;
	}
	wl_category_shares(ns, N, share);
	for (unsigned c = 0; c < N; c++) {
		sum += share[c];
		assert_true(c == 0 || share[c] <= share[c - 1]);
	}
	assert_true(sum == total);
}

TEST(rules_that_cannot_be_used_are_a_slip)
{
	WITH(struct asked_doc, d, release, init(&d));
	const char *const args[WL_MAX_PARAMS] = { "nothing" };

	kernel(&d, 0, 1, 7, "a");
	d.x.q.trace = mem_seal(&d.x.mem);
	mem_scope_whole(&d.x.scope, d.x.q.trace);
	d.x.q.args = args;
	answer_within(&d.x.a, &d.x.q, ANSWER_BUDGET);
	assert_int_equal(d.x.a.status, WL_E_USAGE);
	assert_non_null(strstr(d.x.a.err.msg, "no rules for the engine 'nothing'"));
}
