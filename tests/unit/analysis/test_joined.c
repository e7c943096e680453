/* SPDX-License-Identifier: MIT */
#include "base/text/json_read.h"

#include <string.h>

#include "support/answer.h"
#include "support/unit.h"

/* Ask with this document in the place of a report. */
static void join(struct asked *x, const char *text, struct wl_json **doc)
{
	struct wl_err err;

	if (wl_json_parse(text, strlen(text), "report", doc, &err) < 0)
		fail_msg("%s", err.msg);
	x->q.docs = doc;
	ask(x, NULL);
}

static void kernel(struct asked *x, wl_ns start, wl_ns end, const char *name, uint32_t grid)
{
	MEM_OP(&x->mem, WL_F_KERNELS, .start = start, .end = end, .name = name, .grid = grid);
}

/* Two launches of f<int>, 30 in all; one of g, 10; and the configuration of the trace. */
static void begin(struct asked *x)
{
	asked_init(x, "joined");
	kernel(x, 0, 10, "void f<int>(int)", 4);
	kernel(x, 20, 40, "void f<int>(int)", 4);
	kernel(x, 50, 60, "g(int)", 8);
	kernel(x, 70, 75, "ncclDevKernel_AllReduce(int)", 2);
}

TEST(names_and_configurations_join)
{
	struct wl_json *doc = NULL;
	struct asked x;

	begin(&x);
	join(&x,
	     "{\"kernels\": [{\"kernel\": \"void f<int>(int)\", \"grid\": [4, 1, 1], \"block\": "
	     "[128, 1, 1], \"shared\": 0, \"launches\": 3, \"ns\": 30, \"bound\": \"DRAM\"},"
	     "{\"kernel\": \"g(int)\", \"grid\": [9, 1, 1], \"block\": [128, 1, 1], \"ns\": 7}]}",
	     &doc);
	assert_int_equal(x.a.table.n_rows, 4);
	expect_cells(&x.a, 0,
		     "in=both; match=name; bound=DRAM; count=2; sum=30; avg=15; ncu_mean=30; "
		     "ncu_launches=3");
	assert_true(answer_f64(&x.a, 0, "ratio") == 2);
	assert_true(answer_f64(&x.a, 0, "share") == 0.75);
	expect_cells(&x.a, 1, "kernel=g(int); in=trace");
	assert_false(answer_is_set(&x.a, 2, "share")); /* communication */
	expect_cells(&x.a, 3, "in=ncu; grid=9,1,1");
	assert_true(answer_has_note(&x.a,
				    "1 of 2 measured kernels occur in the trace and cover 75.0%"));
	asked_release(&x);
	wl_json_free(doc);
}

TEST(a_function_joins_if_it_leaves_one_kernel)
{
	static const char f[] =
		"{\"kernels\": [{\"kernel\": \"f\", \"grid\": [4, 1, 1], \"block\": "
		"[128, 1, 1], \"ns\": 30}]}";
	struct wl_json *doc = NULL;
	struct asked x;

	begin(&x);
	join(&x, f, &doc);
	expect_cells(&x.a, 0, "in=both; match=function");
	asked_release(&x);
	wl_json_free(doc);

	begin(&x);
	kernel(&x, 80, 81, "void f<float>(float)", 4);
	join(&x, f, &doc);
	assert_string_equal(answer_str(&x.a, 0, "in"), "trace");
	assert_string_equal(answer_str(&x.a, x.a.table.n_rows - 1, "in"), "ncu");
	asked_release(&x);
	wl_json_free(doc);
}

TEST(other_shared_memory_is_another_kernel)
{
	struct wl_json *doc = NULL;
	struct asked x;

	begin(&x);
	join(&x,
	     "{\"kernels\": [{\"kernel\": \"g(int)\", \"grid\": [8, 1, 1], \"block\": [128, 1, 1], "
	     "\"shared\": 16, \"ns\": 7}], \"left_out\": 2}",
	     &doc);
	expect_cells(&x.a, 3, "in=ncu; shared=16");
	assert_true(answer_has_note(&x.a, "2 short kernels of the report were skipped"));
	asked_release(&x);
	wl_json_free(doc);
}

TEST(another_document_is_refused)
{
	static const char *const wrong[] = { "{}", "[1]", "{\"kernels\": 1}",
					     "{\"kernels\": [{}]}" };

	for (size_t i = 0; i < WL_COUNT(wrong); i++) {
		struct wl_json *doc = NULL;
		struct wl_err err;
		struct asked x;

		begin(&x);
		assert_int_equal(wl_json_parse(wrong[i], strlen(wrong[i]), "x", &doc, &err), WL_OK);
		x.q.docs = &doc;
		x.q.trace = mem_seal(&x.mem);
		mem_scope_whole(&x.scope, x.q.trace);
		answer_within(&x.a, &x.q, ANSWER_BUDGET);
		assert_int_equal(x.a.status, WL_E_USAGE);
		asked_release(&x);
		wl_json_free(doc);
	}
}
