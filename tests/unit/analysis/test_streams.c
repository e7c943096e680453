/* SPDX-License-Identifier: MIT */
#include "analysis/analysis.h"

#include "known/exports/codes.h"
#include "support/answer.h"
#include "support/unit.h"

static void op(struct asked *x, enum wl_family_id family, unsigned stream, wl_ns start,
	       const char *name)
{
	MEM_OP(&x->mem, family, .start = start, .end = start + 10, .stream = stream, .name = name);
}

static void launched(struct asked *x, unsigned stream, unsigned corr, wl_ns call)
{
	MEM_API(&x->mem, .start = call, .end = call + 1, .corr = corr);
	MEM_OP(&x->mem, WL_F_KERNELS, .start = 1000, .end = 1010, .stream = stream, .corr = corr,
	       .name = "ncclDevKernel_SendRecv");
}

TEST(classes_follow_from_what_is_there)
{
	WITH(struct asked, x, asked_release, asked_init(&x, "streams"));
	static const char *const want[] = { "compute", "comm",    "copy",   "compute",
					    "copy",    "compute", "compute" };

	op(&x, WL_F_KERNELS, 1, 0, "gemm");
	op(&x, WL_F_MEMCPYS, 1, 5, NULL);
	op(&x, WL_F_KERNELS, 2, 0, "ncclX");
	op(&x, WL_F_MEMCPYS, 2, 20, NULL); /* copies do not matter where there are kernels */
	op(&x, WL_F_MEMCPYS, 3, 0, NULL);
	op(&x, WL_F_KERNELS, 4, 0, "gemm");
	op(&x, WL_F_KERNELS, 4, 5, "ncclX");
	op(&x, WL_F_MEMSETS, 5, 0, NULL);
	op(&x, WL_F_GRAPHS, 6, 0, NULL);
	op(&x, WL_F_GRAPHS, 8, 0, NULL);
	op(&x, WL_F_KERNELS, 8, 0, "ncclX");
	ask(&x, NULL);
	assert_int_equal(x.a.table.n_rows, WL_COUNT(want));
	for (size_t i = 0; i < WL_COUNT(want); i++)
		assert_string_equal(answer_str(&x.a, i, "class"), want[i]);
	expect_cells(&x.a, 0, "ops=2; kernels=1; busy=15");
	expect_i64(&x.a, 5, "kernels", 0);
	assert_string_equal(answer_str(&x.a, 1, "purpose"), "unknown");
	assert_false(answer_is_set(&x.a, 3, "purpose"));
	assert_true(answer_f64(&x.a, 0, "comm_share") == 0);
	assert_true(answer_f64(&x.a, 1, "comm_share") == 1);
	assert_false(answer_is_set(&x.a, 2, "comm_share")); /* no kernel */
	assert_true(answer_f64(&x.a, 3, "comm_share") == 0.5);
	assert_false(answer_is_set(&x.a, 5, "comm_share")); /* what a replay does is not told */
	assert_true(answer_f64(&x.a, 6, "comm_share") == 1);
	ask_window(&x, 0, 5); /* what is on it then */
	assert_string_equal(answer_str(&x.a, 3, "class"), "compute");
}

TEST(a_purpose_is_unanimous)
{
	WITH(struct asked, x, asked_release, asked_init(&x, "streams"));
	static const char *const want[] = { "dispatch", "mixed", "mixed", "unknown" };

	MEM_NVTX(&x.mem, .start = 0, .end = 10, .name = "dispatch");
	MEM_NVTX(&x.mem, .start = 20, .end = 30, .name = "combine");
	launched(&x, 1, 1, 1);
	launched(&x, 1, 2, 2);
	launched(&x, 2, 3, 3);
	launched(&x, 2, 4, 21);
	launched(&x, 3, 5, 4);
	launched(&x, 3, 6, 50); /* without a label */
	launched(&x, 4, 7, 51);
	ask(&x, NULL);
	assert_int_equal(x.a.table.n_rows, WL_COUNT(want));
	for (size_t i = 0; i < WL_COUNT(want); i++)
		assert_string_equal(answer_str(&x.a, i, "purpose"), want[i]);
}

/* A range that is crossed is no parent, but it is around what both contain. */
TEST(a_range_that_is_crossed_gives_a_purpose)
{
	WITH(struct asked, x, asked_release, asked_init(&x, "streams"));

	MEM_NVTX(&x.mem, .start = 0, .end = 20, .name = "dispatch");
	MEM_NVTX(&x.mem, .start = 10, .end = 30, .name = "ncclGroupEnd");
	launched(&x, 1, 1, 12);
	launched(&x, 2, 2, 25); /* dispatch is over */
	ask(&x, NULL);
	assert_string_equal(answer_str(&x.a, 0, "purpose"), "dispatch");
	assert_string_equal(answer_str(&x.a, 1, "purpose"), "unknown");
}

TEST(streams_are_of_devices_and_processes)
{
	WITH(struct asked, x, asked_release, asked_init(&x, "streams"));

	for (unsigned pid = 2; pid >= 1; pid--) {
		for (unsigned device = 0; device < 2; device++)
			MEM_OP(&x.mem, WL_F_KERNELS, .end = 10, .pid = pid, .device = device,
			       .stream = 7);
	}
	MEM_OP(&x.mem, WL_F_KERNELS, .end = 10, .pid = 1, .stream = UINT32_MAX);
	ask(&x, NULL);
	assert_int_equal(x.a.table.n_rows, 5);
	expect_cells(&x.a, 0, "pid=1; stream=7");
	assert_false(answer_is_set(&x.a, 1, "stream"));
	expect_i64(&x.a, 2, "device", 1);
	expect_i64(&x.a, 4, "pid", 2);
	x.scope.place_on[0] = false;
	ask(&x, NULL);
	assert_int_equal(x.a.table.n_rows, 4);
}
