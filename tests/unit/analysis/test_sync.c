/* SPDX-License-Identifier: MIT */
#include "analysis/analysis.h"

#include <string.h>

#include "known/exports/codes.h"
#include "support/answer.h"
#include "support/unit.h"

static void wait_for(struct asked *x, wl_ns start, wl_ns end, unsigned tid, const char *name)
{
	MEM_API(&x->mem, .start = start, .end = end, .tid = tid, .name = name);
}

static void kernel(struct asked *x, wl_ns start, wl_ns end)
{
	MEM_OP(&x->mem, WL_F_KERNELS, .start = start, .end = end);
}

TEST(waits_that_leave_the_gpu_idle_come_first)
{
	WITH(struct asked, x, asked_release, asked_init(&x, "sync"));

	kernel(&x, 0, 100);
	kernel(&x, 120, 130);
	wait_for(&x, 10, 95, 1, "cudaStreamSynchronize");
	wait_for(&x, 90, 110, 1, "cudaDeviceSynchronize");
	wait_for(&x, 115, 125, 1, "cudaDeviceSynchronize");
	MEM_API(&x.mem, .start = 126, .end = 129, .tid = 1); /* no wait */
	ask(&x, NULL);
	assert_int_equal(x.a.table.n_rows, 2);
	expect_cells(&x.a, 0,
		     "name=cudaDeviceSynchronize; calls=2; sum=30; p50=10; max=20; gpu_idle=15; "
		     "gpu_busy=15");
	expect_cells(&x.a, 1, "gpu_idle=0; gpu_busy=85");
	ask_window(&x, 100, 118); /* the parts inside */
	assert_int_equal(x.a.table.n_rows, 1);
	expect_cells(&x.a, 0, "sum=13; gpu_idle=13");
}

TEST(waits_are_told_apart_by_thread_and_range)
{
	WITH(struct asked, x, asked_release, asked_init(&x, "sync"));

	kernel(&x, 0, 1);
	MEM_NVTX(&x.mem, .start = 0, .end = 50, .tid = 1, .name = "step 1");
	MEM_NVTX(&x.mem, .start = 60, .end = 99, .tid = 1, .name = "step 2");
	wait_for(&x, 10, 20, 1, "cudaStreamSynchronize");
	wait_for(&x, 60, 70, 1, "cudaStreamSynchronize");
	wait_for(&x, 45, 55, 1, "cudaStreamSynchronize"); /* crosses the range's end */
	wait_for(&x, 10, 20, 2, "cudaStreamSynchronize");
	ask(&x, NULL);
	assert_int_equal(x.a.table.n_rows, 3);
	expect_cells(&x.a, 0, "nvtx=step #; calls=2");
	expect_i64(&x.a, 1, "tid", 1); /* equal times: by thread, then without a range first */
	assert_false(answer_is_set(&x.a, 1, "nvtx"));
	expect_cells(&x.a, 2, "tid=2; pid=100");
}

TEST(skewed_clocks_say_nothing_of_the_gpu)
{
	WITH(struct asked, x, asked_release, asked_init(&x, "sync"));

	MEM_API(&x.mem, .start = 50, .end = 51, .tid = 1, .corr = 1);
	MEM_OP(&x.mem, WL_F_KERNELS, .start = 0, .end = 40, .corr = 1);
	wait_for(&x, 60, 90, 1, "cudaStreamSynchronize");
	ask(&x, NULL);
	assert_int_equal(x.a.table.n_rows, 1);
	expect_i64(&x.a, 0, "sum", 30);
	assert_false(answer_is_set(&x.a, 0, "gpu_idle"));
	assert_false(answer_is_set(&x.a, 0, "gpu_busy"));
	assert_true(answer_has_note(&x.a, "host and GPU clocks disagree"));
	assert_int_equal(x.a.table.n_coverage, 1);
	assert_true(x.a.table.coverage[0].have == 1 && x.a.table.coverage[0].of == 1);
}

TEST(a_wait_for_an_unknown_device_is_in_neither)
{
	WITH(struct asked, x, asked_release, asked_init(&x, "sync"));

	kernel(&x, 0, 10);
	MEM_OP(&x.mem, WL_F_KERNELS, .start = 0, .end = 10, .device = 1);
	wait_for(&x, 0, 20, 1, "cudaStreamSynchronize");
	ask(&x, NULL);
	expect_i64(&x.a, 0, "sum", 20);
	assert_false(answer_is_set(&x.a, 0, "gpu_idle"));
	assert_false(answer_is_set(&x.a, 0, "gpu_busy"));
	assert_int_equal(x.a.table.n_coverage, 1);
	assert_true(x.a.table.coverage[0].have == 0 && x.a.table.coverage[0].of == 1);
}

TEST(calls_that_do_not_wait_are_no_data)
{
	WITH(struct asked, x, asked_release, asked_init(&x, "sync"));

	MEM_API(&x.mem, .start = 0, .end = 9);
	assert_non_null(strstr(ask_in_vain(&x), "no CUDA call that was recorded waits"));
}
