/* SPDX-License-Identifier: MIT */
#include "analysis/analysis.h"

#include "support/answer.h"
#include "support/unit.h"

static void call(struct asked *x, wl_ns start, wl_ns end, const char *name, int32_t result)
{
	MEM_API(&x->mem, .start = start, .end = end, .name = name, .result = result);
}

TEST(calls_are_ranked_by_sum_then_name)
{
	WITH(struct asked, x, asked_release, asked_init(&x, "api"));

	call(&x, 0, 4, "cudaMalloc", 0);
	call(&x, 0, 1, "cudaFree", 0);
	call(&x, 5, 8, "cudaFree", 0);
	call(&x, 3, 20, "cudaMemcpy", 0); /* of one thread, across others */
	ask(&x, NULL);
	assert_int_equal(x.a.table.n_rows, 3);
	assert_string_equal(answer_str(&x.a, 0, "name"), "cudaMemcpy");
	assert_string_equal(answer_str(&x.a, 1, "name"), "cudaFree");
	assert_string_equal(answer_str(&x.a, 2, "name"), "cudaMalloc");
	expect_cells(&x.a, 1, "calls=2; sum=4; avg=2; p50=1; p90=3; min=1; max=3; stddev=1");
	assert_true(answer_f64(&x.a, 0, "share") == 17.0 / 25.0);
}

TEST(not_ready_is_no_error)
{
	WITH(struct asked, x, asked_release, asked_init(&x, "api"));

	call(&x, 0, 1, "cudaEventQuery", 0);
	call(&x, 1, 2, "cudaEventQuery", 600);
	call(&x, 2, 3, "cudaEventQuery", 700);
	call(&x, 3, 4, "cudaEventQuery", -1);
	call(&x, 4, 5, "cudaMalloc", 2);
	ask(&x, NULL);
	expect_i64(&x.a, 0, "errors", 2);
	expect_i64(&x.a, 1, "errors", 1);
	ask_window(&x, 0, 3); /* of those in the window */
	expect_i64(&x.a, 0, "errors", 1);
}

TEST(each_process_has_its_window)
{
	WITH(struct asked, x, asked_release, asked_init(&x, "api"));

	for (unsigned pid = 1; pid <= 3; pid++)
		MEM_API(&x.mem, .start = 0, .end = 100, .pid = pid);
	ask_window(&x, 10, 30);
	expect_cells(&x.a, 0, "calls=3; sum=60");
	x.scope.process[1] = (struct wl_interval){ 90, 200 };
	x.scope.process_on[2] = false;
	ask(&x, NULL);
	expect_cells(&x.a, 0, "calls=2; sum=30");
}

TEST(calls_without_a_length_count)
{
	WITH(struct asked, x, asked_release, asked_init(&x, "api"));

	call(&x, 7, 7, "cudaGetDevice", 0);
	ask(&x, NULL);
	expect_i64(&x.a, 0, "calls", 1);
	assert_false(answer_is_set(&x.a, 0, "share"));
}
