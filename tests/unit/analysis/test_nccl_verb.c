/* SPDX-License-Identifier: MIT */
#include "analysis/analysis.h"

#include <string.h>

#include "known/exports/codes.h"
#include "support/answer.h"
#include "support/unit.h"

static const char all_reduce[] = "ncclDevKernel_AllReduce_Sum_f32_RING_LL(int)";
static const char send_recv[] = "ncclDevKernel_SendRecv(int)";
static const char all_gather[] = "ncclDevKernel_AllGather_RING_LL(int)";

static void comm(struct asked *x, unsigned pid, wl_ns start, wl_ns end, const char *name)
{
	MEM_OP(&x->mem, WL_F_KERNELS, .start = start, .end = end, .pid = pid, .stream = 20,
	       .name = name);
}

TEST(kinds_of_a_stream_are_rows)
{
	WITH(struct asked, x, asked_release, asked_init(&x, "nccl"));

	MEM_OP(&x.mem, WL_F_KERNELS, .start = 0, .end = 15, .name = "gemm");
	comm(&x, 0, 0, 10, all_gather);
	comm(&x, 0, 10, 30, all_reduce);
	comm(&x, 0, 20, 50, all_reduce);
	ask(&x, NULL);
	assert_int_equal(x.a.table.n_rows, 2);
	assert_string_equal(answer_str(&x.a, 0, "type"), "AllReduce"); /* the largest sum first */
	expect_cells(&x.a, 0,
		     "calls=2; sum=50; busy=40; exposed=35; avg=25; p50=20; p99=30; max=30");
	assert_true(answer_f64(&x.a, 0, "overlap") == 5.0 / 40.0);
	assert_false(answer_is_set(&x.a, 0, "wait_all"));
	assert_true(answer_has_note(&x.a, "only one GPU communicates"));
	assert_true(answer_f64(&x.a, 1, "overlap") == 1.0);
	ask_window(&x, 25, 40);
	assert_int_equal(x.a.table.n_rows, 1);
	expect_i64(&x.a, 0, "sum", 20);
}

/* Three processes; number 3 arrives last, so its kernels are the shortest. */
TEST(the_straggler_has_the_shortest_kernels)
{
	WITH(struct asked, x, asked_release, asked_init(&x, "nccl"));

	for (unsigned pid = 1; pid <= 3; pid++) {
		for (wl_ns i = 0; i < 4; i++) {
			bool is_last = pid == 3 && i > 0; /* the first comes to all alike */

			comm(&x, pid, 100 * i + (is_last ? 60 : (wl_ns)pid * (i > 0)), 100 * i + 80,
			     all_reduce);
		}
	}
	ask(&x, NULL);
	assert_int_equal(x.a.table.n_rows, 3);
	expect_i64(&x.a, 0, "pid", 1);
	expect_i64(&x.a, 0, "transfer", 80 + 3 * 20);
	expect_i64(&x.a, 0, "wait_all", INT64_C(3) * 59);
	expect_i64(&x.a, 0, "late", INT64_C(3) * 59);
	expect_i64(&x.a, 0, "last", 1); /* all at once: the first counts */
	expect_cells(&x.a, 0, "caused=0; group=0-2");
	expect_cells(&x.a, 2, "pid=3; wait_all=0; last=3");
	expect_i64(&x.a, 2, "caused", INT64_C(3) * (59 + 58));
	expect_i64(&x.a, 2, "alone", INT64_C(3) * 58);
	assert_true(answer_has_note(&x.a, "GPU 2 makes the others of the group of GPUs 0-2 wait"));
	ask_window(&x, 0, 50); /* one match, in which all are as long: nobody is late */
	expect_i64(&x.a, 0, "transfer", 80); /* not clipped */
	expect_i64(&x.a, 0, "sum", 50);
	assert_false(answer_has_note(&x.a, "makes the others"));
}

/* Six ranks exchange with the first one, each in a group of its own and more than once. */
TEST(groups_beyond_the_first_ones_are_counted)
{
	WITH(struct asked, x, asked_release, asked_init(&x, "nccl"));

	for (wl_ns i = 0; i < 24; i++) {
		unsigned other = (unsigned)(i % 6) + 2;

		comm(&x, 1, 1000 * i, 1000 * i + 80 + 3 * (wl_ns)other, send_recv);
		comm(&x, other, 1000 * i + 10, 1000 * i + 80 + 3 * (wl_ns)other, send_recv);
	}
	ask(&x, NULL);
	assert_non_null(strstr(answer_str(&x.a, 0, "group"), " and 2 more"));
}

TEST(what_does_not_match_says_so)
{
	WITH(struct asked, x, asked_release, asked_init(&x, "nccl"));

	comm(&x, 1, 0, 10, all_reduce);
	comm(&x, 2, 5, 10, all_reduce);
	comm(&x, 1, 20, 30, all_gather);
	ask(&x, NULL);
	assert_int_equal(x.a.table.n_coverage, 1);
	assert_int_equal(x.a.table.coverage[0].have, 2);
	assert_int_equal(x.a.table.coverage[0].of, 3);
}

TEST(copies_of_collectives_count)
{
	WITH(struct asked, x, asked_release, asked_init(&x, "nccl"));

	MEM_NVTX(&x.mem, .start = 0, .end = 9, .name = "ncclAllGather");
	MEM_API(&x.mem, .start = 1, .end = 2, .corr = 5);
	MEM_OP(&x.mem, WL_F_MEMCPYS, .start = 10, .end = 20, .corr = 5, .kind = WL_COPY_D2D);
	ask(&x, NULL);
	assert_int_equal(x.a.table.n_rows, 1);
	expect_cells(&x.a, 0, "type=AllGather; exposed=10");
}

TEST(without_communication_the_answer_is_none)
{
	WITH(struct asked, x, asked_release, asked_init(&x, "nccl"));

	MEM_OP(&x.mem, WL_F_KERNELS, .end = 10, .name = "gemm");
	assert_non_null(strstr(ask_in_vain(&x), "this trace has no collectives"));
}

TEST(replays_may_hide_communication)
{
	WITH(struct asked, x, asked_release, asked_init(&x, "nccl"));

	MEM_OP(&x.mem, WL_F_GRAPHS, .end = 10);
	assert_non_null(strstr(ask_in_vain(&x), "recorded whole"));
}

TEST(a_window_without_communication_has_no_rows)
{
	WITH(struct asked, x, asked_release, asked_init(&x, "nccl"));

	comm(&x, 0, 0, 10, all_reduce);
	ask(&x, NULL);
	ask_window(&x, 50, 60);
	assert_int_equal(x.a.table.n_rows, 0);
}
