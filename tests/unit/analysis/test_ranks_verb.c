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
	MEM_OP(&x->mem, WL_F_KERNELS, .start = start, .end = end, .pid = pid, .device = pid - 1,
	       .stream = stream, .name = name);
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

TEST(exposed_communication_is_wait_and_transfer)
{
	WITH(struct asked, x, asked_release, fill(&x));

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
}

/* The median member arrives at 110 us; the last causes 30 and 20 us. */
TEST(lateness_counts_from_the_median_member)
{
	WITH(struct asked, x, asked_release, fill(&x));

	ask(&x, NULL);
	expect_i64(&x.a, 0, "lateness", 0);
	expect_i64(&x.a, 1, "lateness", 0);
	expect_i64(&x.a, 2, "lateness", 20 * us);
	expect_i64(&x.a, 2, "caused", 50 * us);
	expect_i64(&x.a, 2, "alone", 20 * us);
	assert_true(answer_f64(&x.a, 2, "wait_share") == 1.0);
	assert_string_equal(answer_str(&x.a, 0, "why"), "waits for GPU 2");
}

/* Of what does not begin in the window nothing is late; the account is clipped. */
TEST(a_window_clips_the_account)
{
	WITH(struct asked, x, asked_release, fill(&x));

	ask_window(&x, 140 * us, 150 * us);
	expect_i64(&x.a, 0, "window", 10 * us);
	expect_i64(&x.a, 0, "transfer", 10 * us);
	expect_i64(&x.a, 0, "wait", 0);
	expect_i64(&x.a, 2, "lateness", 0);
	assert_false(answer_is_set(&x.a, 2, "wait_share"));
}

TEST(without_steps_by_step_has_the_rest_only)
{
	WITH(struct asked, x, asked_release, fill(&x));
	const char *const by_step[] = { "step", NULL };

	ask(&x, by_step);
	assert_int_equal(x.a.table.n_rows, 3);
	assert_false(answer_is_set(&x.a, 0, "step"));
	expect_i64(&x.a, 2, "lateness", 20 * us);
}

TEST(one_rank_waits_for_nobody)
{
	WITH(struct asked, x, asked_release, asked_init(&x, "ranks"));

	run(&x, 1, 7, 0, 10 * us, "gemm");
	run(&x, 1, 20, 10 * us, 20 * us, all_reduce);
	ask(&x, NULL);
	assert_int_equal(x.a.table.n_rows, 1);
	expect_i64(&x.a, 0, "transfer", 10 * us);
	assert_false(answer_is_set(&x.a, 0, "wait"));
	assert_false(answer_is_set(&x.a, 0, "lateness"));
	assert_true(answer_has_note(&x.a, "transfer includes waiting"));
	assert_true(answer_has_note(&x.a, "only one GPU communicates"));
}

/* Three processes meet ten times, late by so much and that; the second leaves 2 us after the
 * others. */
static void meet(struct asked *x, wl_ns second, wl_ns third)
{
	const wl_ns late[] = { 0, second, third };

	for (unsigned i = 0; i < 10; i++) {
		wl_ns begin = i * 200 * us;

		for (unsigned pid = 1; pid <= 3; pid++) {
			wl_ns ready = begin + 100 * us + late[pid - 1];

			run(x, pid, 7, begin, ready, "gemm");
			run(x, pid, 20, ready, begin + (pid == 2 ? 152 : 150) * us, all_reduce);
		}
	}
}

/* 1 us apart they may be at once, as they leave 2 us apart; 10 us apart the last is known. */
TEST(who_may_be_the_last_shares_the_blame)
{
	for (wl_ns apart = 1; apart <= 10; apart += 9) {
		struct asked x;

		asked_init(&x, "ranks");
		meet(&x, 30 * us, (30 + apart) * us);
		ask(&x, NULL);
		expect_i64(&x.a, 1, "caused", 0);
		expect_i64(&x.a, 2, "caused", 10 * (30 + 2 * apart) * us);
		assert_true(answer_f64(&x.a, 0, "wait_share") == 0.0);
		assert_true(answer_f64(&x.a, 1, "wait_share") == (apart == 1 ? 0.5 : 0.0));
		assert_true(answer_f64(&x.a, 2, "wait_share") == (apart == 1 ? 0.5 : 1.0));
		assert_int_equal(
			answer_has_note(
				&x.a, "(clock error 2 us) and share 100.0% of the waiting: GPU 1, "
				      "GPU 2"),
			apart == 1);
		asked_release(&x);
	}
}

/* An operation and the call that launches it, 5 us before it can start. */
static void launch(struct asked *x, unsigned pid, wl_ns call, const struct wl_interval *op,
		   const char *name)
{
	static unsigned corr;

	corr++;
	MEM_API(&x->mem, .start = call, .end = call + 3 * us, .pid = pid, .tid = pid, .corr = corr,
		.name = "cudaLaunchKernel");
	MEM_OP(&x->mem, WL_F_KERNELS, .start = op->begin, .end = op->end, .pid = pid,
	       .device = pid - 1, .stream = 7, .corr = corr, .name = name);
}

/*
 * Twenty steps of three ranks, each a gap of the host, a gemm and an all-reduce of 20 us, after
 * which the host waits for the GPU. The last rank has so much more of each of the first two.
 */
static void steps(struct asked *x, wl_ns more_host, wl_ns more_kernel)
{
	const wl_ns all = 320 * us + more_host + more_kernel;

	for (wl_ns begin = 0; begin < 20 * (all + 30 * us); begin += all + 30 * us) {
		for (unsigned pid = 1; pid <= 3; pid++) {
			wl_ns call = begin + 10 * us + (pid == 3 ? more_host : 0);
			wl_ns ready = call + 305 * us + (pid == 3 ? more_kernel : 0);

			launch(x, pid, call, &(struct wl_interval){ call + 5 * us, ready }, "gemm");
			launch(x, pid, call + 4 * us,
			       &(struct wl_interval){ ready + us, begin + all + 16 * us },
			       all_reduce);
			MEM_API(&x->mem, .start = call + 8 * us, .end = begin + all + 17 * us,
				.pid = pid, .tid = pid, .name = "cudaDeviceSynchronize");
			MEM_NVTX(&x->mem, .start = begin + us, .end = begin + all + 20 * us,
				 .pid = pid, .tid = pid, .name = "step");
		}
	}
}

/* Of 200 us more 60 are of kernels, which is more than a quarter; of 20 less. */
TEST(a_late_host_does_not_hide_slower_kernels)
{
	static const char what[] = "; kernels take 360 us vs 300 us per";
	struct asked x;

	asked_init(&x, "ranks");
	steps(&x, 140 * us, 60 * us);
	ask(&x, NULL);
	assert_true(answer_has_note(&x.a, "GPU 2 is a straggler"));
	assert_true(
		answer_has_note(&x.a, "reason late host: calls and the time between them take"));
	assert_true(answer_has_note(&x.a, what));
	asked_release(&x);

	asked_init(&x, "ranks");
	steps(&x, 180 * us, 20 * us);
	ask(&x, NULL);
	assert_true(
		answer_has_note(&x.a, "reason late host: calls and the time between them take"));
	assert_false(answer_has_note(&x.a, "kernels take"));
	asked_release(&x);
}

/* Calls of 50, 40 and 20 us: the first two wait for 30 and 20 us, ten times. */
TEST(waits_in_mpi_are_counted_apart)
{
	const wl_ns ready[] = { 100 * us, 110 * us, 130 * us };
	struct asked x;

	asked_init(&x, "ranks");
	for (unsigned i = 0; i < 10; i++) {
		wl_ns begin = i * 200 * us;

		for (unsigned pid = 1; pid <= 3; pid++) {
			run(&x, pid, 7, begin, begin + ready[pid - 1], "gemm");
			MEM_MPI_OTHER(&x.mem, .start = begin + ready[pid - 1],
				      .end = begin + 150 * us, .pid = pid, .tid = pid,
				      .name = "MPI_Allreduce");
		}
	}
	ask(&x, NULL);
	expect_i64(&x.a, 0, "mpi_wait", 300 * us);
	expect_i64(&x.a, 1, "mpi_wait", 200 * us);
	expect_i64(&x.a, 2, "mpi_wait", 0);
	assert_false(answer_is_set(&x.a, 0, "wait"));
	assert_false(answer_is_set(&x.a, 0, "transfer"));
	assert_true(answer_has_note(&x.a, "MPI waits are host time"));
	asked_release(&x);
	fill(&x);
	ask(&x, NULL);
	assert_false(answer_is_set(&x.a, 0, "mpi_wait"));
	assert_false(answer_has_note(&x.a, "MPI waits are host time"));
	asked_release(&x);
}
