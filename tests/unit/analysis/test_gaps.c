/* SPDX-License-Identifier: MIT */
#include "analysis/analysis.h"

#include "support/answer.h"
#include "support/unit.h"

static void kernel(struct asked *x, unsigned device, wl_ns start, wl_ns end, unsigned corr)
{
	MEM_OP(&x->mem, WL_F_KERNELS, .start = start, .end = end, .device = device, .corr = corr);
}

static void call(struct asked *x, wl_ns start, wl_ns end, unsigned corr, const char *name)
{
	MEM_API(&x->mem, .start = start, .end = end, .tid = 103, .corr = corr, .name = name);
}

TEST(the_longest_come_first)
{
	WITH(struct asked, x, asked_release, asked_init(&x, "gaps"));

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
}

TEST(what_the_window_leaves_decides)
{
	WITH(struct asked, x, asked_release, asked_init(&x, "gaps"));

	kernel(&x, 0, 0, 10, 0);
	kernel(&x, 0, 30010, 30020, 0);
	ask_window(&x, 20010, 40000);
	assert_int_equal(x.a.table.n_rows, 1);
	expect_cells(&x.a, 0, "start=20010; duration=10000");
	ask_window(&x, 20011, 40000);
	assert_int_equal(x.a.table.n_rows, 0);
}

/* 10 in launch, 10 in an allocation: launch stands before alloc in the table of causes. */
TEST(of_equal_causes_the_earlier_in_the_table)
{
	WITH(struct asked, x, asked_release, asked_init(&x, "gaps"));

	kernel(&x, 0, 0, 10, 1);
	kernel(&x, 0, 30, 40, 2);
	call(&x, 0, 1, 1, NULL);
	call(&x, 10, 20, 0, "cudaMalloc");
	call(&x, 20, 30, 2, "cudaLaunchKernel");
	MEM_NVTX(&x.mem, .start = 15, .end = 30, .tid = 103, .name = "it 7");
	MEM_NVTX(&x.mem, .start = 22, .end = 30, .tid = 103, .name = "late");
	ask(&x, (const char *const[WL_MAX_PARAMS]){ "0" });
	assert_int_equal(x.a.table.n_rows, 1);
	expect_cells(&x.a, 0, "cause=launch; detail=cudaLaunchKernel; nvtx=it #; tid=103; pid=100");
}

/* Free 4 + 4, malloc 8: equal, and free was first. */
TEST(a_detail_is_summed_before_it_is_chosen)
{
	WITH(struct asked, x, asked_release, asked_init(&x, "gaps"));

	kernel(&x, 0, 0, 10, 1);
	kernel(&x, 0, 30, 40, 2);
	call(&x, 0, 1, 1, NULL);
	call(&x, 10, 14, 0, "cudaFree");
	call(&x, 14, 22, 0, "cudaMalloc");
	call(&x, 22, 26, 0, "cudaFree");
	call(&x, 29, 30, 2, NULL);
	ask(&x, (const char *const[WL_MAX_PARAMS]){ "0" });
	expect_cells(&x.a, 0, "cause=alloc; detail=cudaFree");
}
