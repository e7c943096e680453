/* SPDX-License-Identifier: MIT */
#include "analysis/analysis.h"

#include "known/exports/codes.h"
#include "support/answer.h"
#include "support/unit.h"

static void op(struct asked *x, enum wl_family_id family, wl_ns start, wl_ns end, unsigned device,
	       const char *name)
{
	mem_op(&x->mem, family,
	       &(struct mem_op){ .start = start, .end = end, .device = device, .name = name });
}

static void pairs_are_times_of_both(void **state)
{
	struct asked x;

	(void)state;
	asked_init(&x, "matrix");
	op(&x, WL_F_KERNELS, 0, 40, 0, "gemm");
	op(&x, WL_F_KERNELS, 30, 60, 0, "ncclDevKernel_AllReduce_x");
	op(&x, WL_F_KERNELS, 50, 70, 0, "ncclDevKernel_SendRecv");
	op(&x, WL_F_MEMCPYS, 35, 65, 0, NULL);
	ask(&x, NULL);
	assert_int_equal(x.a.table.n_rows, 5);
	assert_string_equal(answer_str(&x.a, 0, "a"), "compute");
	expect_i64(&x.a, 0, "compute", 40);
	expect_i64(&x.a, 0, "comm", 10);
	expect_i64(&x.a, 0, "copy", 5);
	expect_i64(&x.a, 0, "allreduce", 10);
	expect_i64(&x.a, 0, "sendrecv", 0);
	assert_string_equal(answer_str(&x.a, 1, "a"), "comm");
	expect_i64(&x.a, 1, "comm", 40);
	expect_i64(&x.a, 1, "copy", 30);
	assert_string_equal(answer_str(&x.a, 3, "a"), "allreduce");
	expect_i64(&x.a, 3, "sendrecv", 10);
	expect_i64(&x.a, 3, "copy", 25);
	assert_string_equal(answer_str(&x.a, 4, "a"), "sendrecv");
	expect_i64(&x.a, 4, "allreduce", 10);
	assert_false(answer_is_set(&x.a, 0, "allgather"));
	asked_release(&x);
}

static void devices_are_separate(void **state)
{
	struct asked x;

	(void)state;
	asked_init(&x, "matrix");
	op(&x, WL_F_KERNELS, 0, 40, 0, "gemm");
	op(&x, WL_F_KERNELS, 0, 40, 1, "ncclDevKernel_AllReduce_x");
	ask(&x, NULL);
	assert_int_equal(x.a.table.n_rows, 7);
	expect_i64(&x.a, 0, "comm", 0);
	expect_i64(&x.a, 3, "device", 1);
	expect_i64(&x.a, 3, "comm", 0);
	x.scope.device_on[0] = false;
	ask(&x, NULL);
	assert_int_equal(x.a.table.n_rows, 4);
	asked_release(&x);
}

static void graph_replays_hide_communication(void **state)
{
	struct asked x;

	(void)state;
	asked_init(&x, "matrix");
	op(&x, WL_F_GRAPHS, 0, 10, 0, NULL);
	op(&x, WL_F_KERNELS, 20, 30, 0, "ncclDevKernel_AllReduce_x");
	ask(&x, NULL);
	assert_int_equal(x.a.table.n_rows, 4);
	assert_true(answer_has_note(&x.a, "not seen"));
	ask_window(&x, 0, 20);
	assert_int_equal(x.a.table.n_rows, 3);
	expect_i64(&x.a, 0, "compute", 10);
	assert_false(answer_is_set(&x.a, 0, "comm"));
	assert_false(answer_is_set(&x.a, 1, "comm"));
	asked_release(&x);
}

TEST_MAIN(matrix)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(pairs_are_times_of_both),
		cmocka_unit_test(devices_are_separate),
		cmocka_unit_test(graph_replays_hide_communication),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
