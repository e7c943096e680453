/* SPDX-License-Identifier: MIT */
#include "analysis/analysis.h"

#include <string.h>

#include "support/answer.h"
#include "support/unit.h"

static const char all_reduce[] = "ncclDevKernel_AllReduce_Sum_f32_RING_LL(int)";
static const wl_ns us = 1000;

static void run(struct asked *x, unsigned pid, unsigned stream, wl_ns start, wl_ns end,
		const char *name)
{
	mem_op(&x->mem, WL_F_KERNELS,
	       &(struct mem_op){ .start = start,
				 .end = end,
				 .pid = pid,
				 .device = pid - 1,
				 .stream = stream,
				 .name = name });
}

/*
 * Three processes compute from 0 to 100, 110 and 130 us and leave the all-reduce at 150 us; the
 * first also computes from 120 to 125 us.
 */
static void fill(struct asked *x)
{
	const wl_ns ready[] = { 100 * us, 110 * us, 130 * us };

	asked_init(x, "ranks");
	for (unsigned pid = 1; pid <= 3; pid++) {
		run(x, pid, 7, 0, ready[pid - 1], "gemm");
		run(x, pid, 20, ready[pid - 1], 150 * us, all_reduce);
	}
	run(x, 1, 7, 120 * us, 125 * us, "gemm");
}

static void exposed_communication_is_wait_and_transfer(void **state)
{
	struct asked x;

	(void)state;
	fill(&x);
	ask(&x, NULL);
	assert_int_equal(x.a.table.n_rows, 3);
	/* The shortest takes 20 us: the others wait before that, as far as nothing computes. */
	expect_i64(&x.a, 0, "compute", 105 * us);
	expect_i64(&x.a, 0, "wait", 25 * us);
	expect_i64(&x.a, 0, "transfer", 20 * us);
	expect_i64(&x.a, 1, "wait", 20 * us);
	expect_i64(&x.a, 1, "transfer", 20 * us);
	expect_i64(&x.a, 2, "wait", 0);
	expect_i64(&x.a, 2, "transfer", 20 * us);
	asked_release(&x);
}

/* The median member arrives at 110 us; the last causes 30 and 20 us. */
static void lateness_counts_from_the_median_member(void **state)
{
	struct asked x;

	(void)state;
	fill(&x);
	ask(&x, NULL);
	expect_i64(&x.a, 0, "lateness", 0);
	expect_i64(&x.a, 1, "lateness", 0);
	expect_i64(&x.a, 2, "lateness", 20 * us);
	expect_i64(&x.a, 2, "caused", 50 * us);
	expect_i64(&x.a, 2, "alone", 20 * us);
	assert_true(answer_f64(&x.a, 2, "wait_share") == 1.0);
	assert_string_equal(answer_str(&x.a, 0, "why"), "waits for GPU 2");
	asked_release(&x);
}

/* Of what does not begin in the window nothing is late; the account is clipped. */
static void a_window_clips_the_account(void **state)
{
	struct asked x;

	(void)state;
	fill(&x);
	ask_window(&x, 140 * us, 150 * us);
	expect_i64(&x.a, 0, "window", 10 * us);
	expect_i64(&x.a, 0, "transfer", 10 * us);
	expect_i64(&x.a, 0, "wait", 0);
	expect_i64(&x.a, 2, "lateness", 0);
	assert_false(answer_is_set(&x.a, 2, "wait_share"));
	asked_release(&x);
}

static void without_steps_by_step_has_the_rest_only(void **state)
{
	const char *const by_step[] = { "step", NULL };
	struct asked x;

	(void)state;
	fill(&x);
	ask(&x, by_step);
	assert_int_equal(x.a.table.n_rows, 3);
	assert_false(answer_is_set(&x.a, 0, "step"));
	expect_i64(&x.a, 2, "lateness", 20 * us);
	asked_release(&x);
}

static void one_rank_waits_for_nobody(void **state)
{
	struct asked x;

	(void)state;
	asked_init(&x, "ranks");
	run(&x, 1, 7, 0, 10 * us, "gemm");
	run(&x, 1, 20, 10 * us, 20 * us, all_reduce);
	ask(&x, NULL);
	assert_int_equal(x.a.table.n_rows, 1);
	expect_i64(&x.a, 0, "transfer", 10 * us);
	expect_i64(&x.a, 0, "wait", 0);
	assert_true(answer_has_note(&x.a, "only one GPU communicates"));
	asked_release(&x);
}

TEST_MAIN(ranks_verb)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(exposed_communication_is_wait_and_transfer),
		cmocka_unit_test(lateness_counts_from_the_median_member),
		cmocka_unit_test(a_window_clips_the_account),
		cmocka_unit_test(without_steps_by_step_has_the_rest_only),
		cmocka_unit_test(one_rank_waits_for_nobody),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
