/* SPDX-License-Identifier: MIT */
#include "analysis/analysis.h"

#include "support/answer.h"
#include "support/unit.h"

struct work {
	wl_ns start, end;
	unsigned pid, device, corr;
};

static void kernel(struct asked *x, const struct work *w)
{
	MEM_OP(&x->mem, WL_F_KERNELS, .start = w->start, .end = w->end, .pid = w->pid,
	       .device = w->device, .corr = w->corr);
}

TEST(busy_is_a_union_per_device)
{
	WITH(struct asked, x, asked_release, asked_init(&x, "pids"));

	kernel(&x, &(struct work){ 0, 10, 1, 0, 0 });
	kernel(&x, &(struct work){ 5, 15, 1, 0, 0 });
	kernel(&x, &(struct work){ 0, 10, 1, 1, 0 });
	kernel(&x, &(struct work){ 0, 60, 2, 0, 0 });
	MEM_OP(&x.mem, WL_F_MEMSETS, .start = 20, .end = 25, .pid = 1, .device = 1);
	ask(&x, NULL);
	assert_int_equal(x.a.table.n_rows, 2);
	expect_cells(&x.a, 0, "pid=1; kernels=3; sum=30");
	expect_i64(&x.a, 0, "busy", 15 + 10 + 5);
	assert_true(answer_f64(&x.a, 0, "share") == 30.0 / 90.0);
	assert_true(answer_f64(&x.a, 0, "nvtx_coverage") == 0.0);
	ask_window(&x, 8, 22);
	expect_i64(&x.a, 0, "sum", 2 + 7 + 2);
	expect_i64(&x.a, 0, "busy", 7 + 2 + 2);
	expect_i64(&x.a, 1, "busy", 14);
}

TEST(waits_of_threads_are_added)
{
	WITH(struct asked, x, asked_release, asked_init(&x, "pids"));

	for (unsigned tid = 1; tid <= 2; tid++) {
		MEM_API(&x.mem, .start = 0, .end = 10, .tid = tid, .name = "cudaDeviceSynchronize");
		MEM_API(&x.mem, .start = 5, .end = 12, .tid = tid, .name = "cuCtxSynchronize");
	}
	MEM_API(&x.mem, .start = 20, .end = 21, .pid = 7);
	ask(&x, NULL);
	assert_int_equal(x.a.table.n_rows, 2);
	expect_i64(&x.a, 0, "pid", 7); /* in the order of processes */
	expect_i64(&x.a, 0, "sync", 0);
	expect_cells(&x.a, 1, "sync=24; kernels=0");
	assert_false(answer_is_set(&x.a, 1, "share"));
	assert_false(answer_is_set(&x.a, 1, "nvtx_coverage"));
	assert_false(answer_is_set(&x.a, 1, "rank"));
	ask_window(&x, 20, 30);
	assert_int_equal(x.a.table.n_rows, 1);
}

TEST(coverage_is_of_time_and_direct)
{
	WITH(struct asked, x, asked_release, asked_init(&x, "pids"));

	MEM_NVTX(&x.mem, .start = 0, .end = 10, .tid = 1, .name = "step");
	for (unsigned i = 1; i <= 3; i++)
		MEM_API(&x.mem, .start = 1 + i, .end = 3 + i, .tid = i == 3 ? 2 : 1, .corr = i);
	kernel(&x, &(struct work){ 20, 30, 0, 0, 1 });
	kernel(&x, &(struct work){ 30, 50, 0, 0, 2 });
	kernel(&x, &(struct work){ 50, 60, 0, 0, 3 });  /* by another thread */
	kernel(&x, &(struct work){ 60, 100, 0, 0, 9 }); /* without a call */
	ask(&x, NULL);
	assert_true(answer_f64(&x.a, 0, "nvtx_coverage") == 30.0 / 80.0);
	expect_i64(&x.a, 0, "launches", 3);
}
