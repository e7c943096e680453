/* SPDX-License-Identifier: MIT */
#include "analysis/analysis.h"

#include "known/exports/codes.h"
#include "support/answer.h"
#include "support/unit.h"

static void kernel(struct asked *x, unsigned pid, unsigned device, wl_ns start, wl_ns end)
{
	MEM_OP(&x->mem, WL_F_KERNELS, .start = start, .end = end, .pid = pid, .device = device);
}

TEST(a_row_per_process_and_device)
{
	WITH(struct asked, x, asked_release, asked_init(&x, "setup"));

	kernel(&x, 200, 0, 5, 9);
	kernel(&x, 100, 1, 10, 20);
	kernel(&x, 100, 0, 1, 2);
	MEM_OP(&x.mem, WL_F_MEMCPYS, .start = 30, .end = 31, .pid = 100, .stream = 9);
	MEM_API(&x.mem, .start = 0, .end = 1, .tid = 1);
	MEM_API(&x.mem, .start = 2, .end = 3, .tid = 2);
	MEM_NVTX(&x.mem, .start = 2, .end = 3, .tid = 3, .name = "r");
	MEM_NVTX(&x.mem, .start = 2, .end = 2, .tid = 4, .name = "m", .kind = WL_NVTX_MARK);
	ask(&x, NULL);
	assert_int_equal(x.a.table.n_rows, 3);
	expect_cells(&x.a, 0, "pid=100; device=0; first=1; last=31");
	expect_i64(&x.a, 0, "threads", 3); /* a mark is no range */
	expect_i64(&x.a, 1, "device", 1);
	expect_cells(&x.a, 2, "pid=200; threads=0");
	assert_false(answer_is_set(&x.a, 2, "rank"));
	assert_false(answer_is_set(&x.a, 2, "mesh"));
}

TEST(the_first_label_tells_rank_and_mesh)
{
	WITH(struct asked, x, asked_release, asked_init(&x, "setup"));

	kernel(&x, 100, 0, 5, 9);
	kernel(&x, 200, 0, 5, 9);
	MEM_NVTX(&x.mem, .start = 9, .end = 10, .tid = 1, .name = "rank=7 x");
	MEM_NVTX(&x.mem, .start = 3, .end = 4, .tid = 2, .name = "rank=3; pp=1/4; mbs=1");
	MEM_NVTX(&x.mem, .start = 3, .end = 4, .pid = 200, .tid = 2, .name = "rank=4");
	ask(&x, NULL);
	expect_i64(&x.a, 0, "rank", 3);
	assert_string_equal(answer_str(&x.a, 0, "mesh"), "pp=1/4; mbs=1");
	expect_i64(&x.a, 1, "rank", 4);
	assert_false(answer_is_set(&x.a, 1, "mesh"));
}

TEST(a_window_cuts_first_and_last)
{
	WITH(struct asked, x, asked_release, asked_init(&x, "setup"));

	kernel(&x, 100, 0, 5, 9);
	kernel(&x, 100, 0, 50, 90);
	kernel(&x, 200, 1, 5, 9);
	ask_window(&x, 60, 70);
	assert_int_equal(x.a.table.n_rows, 1);
	expect_cells(&x.a, 0, "first=60; last=70");
}
