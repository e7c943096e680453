/* SPDX-License-Identifier: MIT */
#include "analysis/analysis.h"

#include "known/exports/codes.h"
#include "support/answer.h"
#include "support/unit.h"

static void op(struct asked *x, enum wl_family_id family, wl_ns start, wl_ns end, unsigned device,
	       const char *name)
{
	MEM_OP(&x->mem, family, .start = start, .end = end, .device = device, .name = name);
}

TEST(pairs_are_times_of_both)
{
	WITH(struct asked, x, asked_release, asked_init(&x, "matrix"));

	op(&x, WL_F_KERNELS, 0, 40, 0, "gemm");
	op(&x, WL_F_KERNELS, 30, 60, 0, "ncclDevKernel_AllReduce_x");
	op(&x, WL_F_KERNELS, 50, 70, 0, "ncclDevKernel_SendRecv");
	op(&x, WL_F_MEMCPYS, 35, 65, 0, NULL);
	ask(&x, NULL);
	assert_int_equal(x.a.table.n_rows, 5);
	expect_cells(&x.a, 0, "a=compute; compute=40; comm=10; copy=5; allreduce=10; sendrecv=0");
	expect_cells(&x.a, 1, "a=comm; comm=40; copy=30");
	expect_cells(&x.a, 3, "a=allreduce; sendrecv=10; copy=25");
	expect_cells(&x.a, 4, "a=sendrecv; allreduce=10");
	assert_false(answer_is_set(&x.a, 0, "allgather"));
}

TEST(devices_are_separate)
{
	WITH(struct asked, x, asked_release, asked_init(&x, "matrix"));

	op(&x, WL_F_KERNELS, 0, 40, 0, "gemm");
	op(&x, WL_F_KERNELS, 0, 40, 1, "ncclDevKernel_AllReduce_x");
	ask(&x, NULL);
	assert_int_equal(x.a.table.n_rows, 7);
	expect_i64(&x.a, 0, "comm", 0);
	expect_cells(&x.a, 3, "device=1; comm=0");
	x.scope.device_on[0] = false;
	ask(&x, NULL);
	assert_int_equal(x.a.table.n_rows, 4);
}

TEST(graph_replays_hide_communication)
{
	WITH(struct asked, x, asked_release, asked_init(&x, "matrix"));

	op(&x, WL_F_GRAPHS, 0, 10, 0, NULL);
	op(&x, WL_F_KERNELS, 20, 30, 0, "ncclDevKernel_AllReduce_x");
	ask(&x, NULL);
	assert_int_equal(x.a.table.n_rows, 4);
	assert_true(answer_has_note(&x.a, "not visible"));
	ask_window(&x, 0, 20);
	assert_int_equal(x.a.table.n_rows, 3);
	expect_i64(&x.a, 0, "compute", 10);
	assert_false(answer_is_set(&x.a, 0, "comm"));
	assert_false(answer_is_set(&x.a, 1, "comm"));
}
