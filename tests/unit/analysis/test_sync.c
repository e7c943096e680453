/* SPDX-License-Identifier: MIT */
#include "analysis/analysis.h"

#include <string.h>

#include "known/exports/codes.h"
#include "support/answer.h"
#include "support/unit.h"

static void wait_for(struct asked *x, wl_ns start, wl_ns end, unsigned tid, const char *name)
{
	mem_api(&x->mem,
		&(struct mem_call){ .start = start, .end = end, .tid = tid, .name = name });
}

static void kernel(struct asked *x, wl_ns start, wl_ns end)
{
	mem_op(&x->mem, WL_F_KERNELS, &(struct mem_op){ .start = start, .end = end });
}

static void waits_that_leave_the_gpu_idle_come_first(void **state)
{
	struct asked x;

	(void)state;
	asked_init(&x, "sync");
	kernel(&x, 0, 100);
	kernel(&x, 120, 130);
	wait_for(&x, 10, 95, 1, "cudaStreamSynchronize");
	wait_for(&x, 90, 110, 1, "cudaDeviceSynchronize");
	wait_for(&x, 115, 125, 1, "cudaDeviceSynchronize");
	mem_api(&x.mem, &(struct mem_call){ .start = 126, .end = 129, .tid = 1 }); /* no wait */
	ask(&x, NULL);
	assert_int_equal(x.a.table.n_rows, 2);
	assert_string_equal(answer_str(&x.a, 0, "name"), "cudaDeviceSynchronize");
	expect_i64(&x.a, 0, "calls", 2);
	expect_i64(&x.a, 0, "sum", 30);
	expect_i64(&x.a, 0, "p50", 10);
	expect_i64(&x.a, 0, "max", 20);
	expect_i64(&x.a, 0, "gpu_idle", 15);
	expect_i64(&x.a, 0, "gpu_busy", 15);
	expect_i64(&x.a, 1, "gpu_idle", 0);
	expect_i64(&x.a, 1, "gpu_busy", 85);
	ask_window(&x, 100, 118); /* the parts inside */
	assert_int_equal(x.a.table.n_rows, 1);
	expect_i64(&x.a, 0, "sum", 13);
	expect_i64(&x.a, 0, "gpu_idle", 13);
	asked_release(&x);
}

static void waits_are_told_apart_by_thread_and_range(void **state)
{
	struct asked x;

	(void)state;
	asked_init(&x, "sync");
	kernel(&x, 0, 1);
	mem_nvtx(&x.mem, &(struct mem_range){ .start = 0, .end = 50, .tid = 1, .name = "step 1" });
	mem_nvtx(&x.mem, &(struct mem_range){ .start = 60, .end = 99, .tid = 1, .name = "step 2" });
	wait_for(&x, 10, 20, 1, "cudaStreamSynchronize");
	wait_for(&x, 60, 70, 1, "cudaStreamSynchronize");
	wait_for(&x, 45, 55, 1, "cudaStreamSynchronize"); /* crosses the range's end */
	wait_for(&x, 10, 20, 2, "cudaStreamSynchronize");
	ask(&x, NULL);
	assert_int_equal(x.a.table.n_rows, 3);
	assert_string_equal(answer_str(&x.a, 0, "nvtx"), "step #");
	expect_i64(&x.a, 0, "calls", 2);
	expect_i64(&x.a, 1, "tid", 1); /* equal times: by thread, then without a range first */
	assert_false(answer_is_set(&x.a, 1, "nvtx"));
	expect_i64(&x.a, 2, "tid", 2);
	expect_i64(&x.a, 2, "pid", 100);
	asked_release(&x);
}

static void skewed_clocks_say_nothing_of_the_gpu(void **state)
{
	struct asked x;

	(void)state;
	asked_init(&x, "sync");
	mem_api(&x.mem, &(struct mem_call){ .start = 50, .end = 51, .tid = 1, .corr = 1 });
	mem_op(&x.mem, WL_F_KERNELS, &(struct mem_op){ .start = 0, .end = 40, .corr = 1 });
	wait_for(&x, 60, 90, 1, "cudaStreamSynchronize");
	ask(&x, NULL);
	assert_int_equal(x.a.table.n_rows, 1);
	expect_i64(&x.a, 0, "sum", 30);
	assert_false(answer_is_set(&x.a, 0, "gpu_idle"));
	assert_false(answer_is_set(&x.a, 0, "gpu_busy"));
	assert_true(answer_has_note(&x.a, "the clocks are skewed"));
	assert_int_equal(x.a.table.n_coverage, 1);
	assert_true(x.a.table.coverage[0].have == 1 && x.a.table.coverage[0].of == 1);
	asked_release(&x);
}

static void a_wait_for_an_unknown_device_is_in_neither(void **state)
{
	struct asked x;

	(void)state;
	asked_init(&x, "sync");
	kernel(&x, 0, 10);
	mem_op(&x.mem, WL_F_KERNELS, &(struct mem_op){ .start = 0, .end = 10, .device = 1 });
	wait_for(&x, 0, 20, 1, "cudaStreamSynchronize");
	ask(&x, NULL);
	expect_i64(&x.a, 0, "sum", 20);
	assert_false(answer_is_set(&x.a, 0, "gpu_idle"));
	assert_false(answer_is_set(&x.a, 0, "gpu_busy"));
	assert_int_equal(x.a.table.n_coverage, 1);
	assert_true(x.a.table.coverage[0].have == 0 && x.a.table.coverage[0].of == 1);
	asked_release(&x);
}

static void calls_that_do_not_wait_are_no_data(void **state)
{
	struct asked x;

	(void)state;
	asked_init(&x, "sync");
	mem_api(&x.mem, &(struct mem_call){ .start = 0, .end = 9 });
	assert_non_null(strstr(ask_in_vain(&x), "no CUDA call that was recorded waits"));
	asked_release(&x);
}

TEST_MAIN(sync)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(waits_that_leave_the_gpu_idle_come_first),
		cmocka_unit_test(waits_are_told_apart_by_thread_and_range),
		cmocka_unit_test(skewed_clocks_say_nothing_of_the_gpu),
		cmocka_unit_test(a_wait_for_an_unknown_device_is_in_neither),
		cmocka_unit_test(calls_that_do_not_wait_are_no_data),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
