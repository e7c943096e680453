/* SPDX-License-Identifier: MIT */
#include "analysis/analysis.h"

#include "support/answer.h"
#include "support/unit.h"

static void kernel(struct asked *x, unsigned device, wl_ns start, wl_ns end, unsigned corr)
{
	mem_op(&x->mem, WL_F_KERNELS,
	       &(struct mem_op){ .start = start, .end = end, .device = device, .corr = corr });
}

static void call(struct asked *x, wl_ns start, wl_ns end, unsigned corr, const char *name)
{
	mem_api(&x->mem,
		&(struct mem_call){
			.start = start, .end = end, .tid = 103, .corr = corr, .name = name });
}

static void the_longest_come_first(void **state)
{
	struct asked x;

	(void)state;
	asked_init(&x, "gaps");
	kernel(&x, 1, 0, 10, 0);
	kernel(&x, 1, 30, 40, 0);
	kernel(&x, 0, 0, 20, 0);
	kernel(&x, 0, 40, 50, 0);
	kernel(&x, 0, 75, 80, 0);
	kernel(&x, 0, 100, 110, 0);
	ask(&x, (const char *const[WL_MAX_PARAMS]){ "20ns" });
	assert_int_equal(x.a.table.n_rows, 4);
	expect_i64(&x.a, 0, "duration", 25);
	expect_i64(&x.a, 1, "start", 20);
	expect_i64(&x.a, 2, "start", 80);
	expect_i64(&x.a, 3, "device", 1);
	ask(&x, (const char *const[WL_MAX_PARAMS]){ "21ns" });
	assert_int_equal(x.a.table.n_rows, 1);
	ask(&x, NULL);
	assert_int_equal(x.a.table.n_rows, 0);
	asked_release(&x);
}

static void what_the_window_leaves_decides(void **state)
{
	struct asked x;

	(void)state;
	asked_init(&x, "gaps");
	kernel(&x, 0, 0, 10, 0);
	kernel(&x, 0, 30010, 30020, 0);
	ask_window(&x, 20010, 40000);
	assert_int_equal(x.a.table.n_rows, 1);
	expect_i64(&x.a, 0, "start", 20010);
	expect_i64(&x.a, 0, "duration", 10000);
	ask_window(&x, 20011, 40000);
	assert_int_equal(x.a.table.n_rows, 0);
	asked_release(&x);
}

/* 10 in launch, 10 in an allocation: launch stands before alloc in the table of causes. */
static void of_equal_causes_the_earlier_in_the_table(void **state)
{
	struct asked x;

	(void)state;
	asked_init(&x, "gaps");
	kernel(&x, 0, 0, 10, 1);
	kernel(&x, 0, 30, 40, 2);
	call(&x, 0, 1, 1, NULL);
	call(&x, 10, 20, 0, "cudaMalloc");
	call(&x, 20, 30, 2, "cudaLaunchKernel");
	mem_nvtx(&x.mem, &(struct mem_range){ .start = 15, .end = 30, .tid = 103, .name = "it 7" });
	mem_nvtx(&x.mem, &(struct mem_range){ .start = 22, .end = 30, .tid = 103, .name = "late" });
	ask(&x, (const char *const[WL_MAX_PARAMS]){ "0" });
	assert_int_equal(x.a.table.n_rows, 1);
	assert_string_equal(answer_str(&x.a, 0, "cause"), "launch");
	assert_string_equal(answer_str(&x.a, 0, "detail"), "cudaLaunchKernel");
	assert_string_equal(answer_str(&x.a, 0, "nvtx"), "it #");
	expect_i64(&x.a, 0, "tid", 103);
	expect_i64(&x.a, 0, "pid", 100);
	asked_release(&x);
}

/* Free 4 + 4, malloc 8: equal, and free was first. */
static void a_detail_is_summed_before_it_is_chosen(void **state)
{
	struct asked x;

	(void)state;
	asked_init(&x, "gaps");
	kernel(&x, 0, 0, 10, 1);
	kernel(&x, 0, 30, 40, 2);
	call(&x, 0, 1, 1, NULL);
	call(&x, 10, 14, 0, "cudaFree");
	call(&x, 14, 22, 0, "cudaMalloc");
	call(&x, 22, 26, 0, "cudaFree");
	call(&x, 29, 30, 2, NULL);
	ask(&x, (const char *const[WL_MAX_PARAMS]){ "0" });
	assert_string_equal(answer_str(&x.a, 0, "cause"), "alloc");
	assert_string_equal(answer_str(&x.a, 0, "detail"), "cudaFree");
	asked_release(&x);
}

TEST_MAIN(gaps)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_longest_come_first),
		cmocka_unit_test(what_the_window_leaves_decides),
		cmocka_unit_test(of_equal_causes_the_earlier_in_the_table),
		cmocka_unit_test(a_detail_is_summed_before_it_is_chosen),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
