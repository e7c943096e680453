/* SPDX-License-Identifier: MIT */
#include "analysis/analysis.h"

#include <string.h>

#include "known/exports/codes.h"
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

/* It follows what ends on another stream as it starts, because its own was free long before. */
static void reduce(struct asked *x, unsigned pid, wl_ns start)
{
	run(x, pid, 20, 0, 1 * us, "init");
	run(x, pid, 20, start, 150 * us, all_reduce);
}

/*
 * Three processes compute from 0 to 100, 110 and 130 us and leave the all-reduce at 150 us: the
 * path is in the last one until it arrives, then in the transfer of the first.
 */
static void fill(struct asked *x)
{
	const wl_ns ready[] = { 100 * us, 110 * us, 130 * us };

	asked_init(x, "path");
	for (unsigned pid = 1; pid <= 3; pid++) {
		run(x, pid, 7, 0, ready[pid - 1], "gemm");
		reduce(x, pid, ready[pid - 1]);
	}
}

TEST(classes_add_up_to_the_window)
{
	WITH(struct asked, x, asked_release, fill(&x));

	ask(&x, NULL);
	assert_int_equal(x.a.table.n_rows, 2);
	assert_string_equal(answer_str(&x.a, 0, "class"), "compute");
	expect_i64(&x.a, 0, "time", 130 * us);
	expect_i64(&x.a, 0, "segments", 1);
	assert_string_equal(answer_str(&x.a, 1, "class"), "transfer");
	expect_i64(&x.a, 1, "time", 20 * us);
	/* 100, 110 and 130 us of compute. */
	expect_i64(&x.a, 0, "mean", 340 * us / 3);
	expect_i64(&x.a, 0, "imbalance", 130 * us - 340 * us / 3);
	assert_false(answer_is_set(&x.a, 1, "mean"));
	assert_true(answer_has_note(&x.a, "CUDA calls were not recorded"));
	assert_true(answer_has_note(&x.a, "inferred"));
}

/* Without transfers the all-reduce takes none of its 20 us; compute is all that is before it. */
TEST(savings_stand_beside_it)
{
	WITH(struct asked, x, asked_release, fill(&x));
	const char *const with[] = { "class", "yes", NULL };

	ask(&x, with);
	assert_string_equal(answer_str(&x.a, 0, "scenario"), "class=compute:0");
	expect_i64(&x.a, 0, "saving", 130 * us);
	assert_string_equal(answer_str(&x.a, 1, "scenario"), "comm-free");
	expect_i64(&x.a, 1, "saving", 20 * us);
}

TEST(ranks_have_their_slack)
{
	WITH(struct asked, x, asked_release, fill(&x));
	const char *const by_rank[] = { "rank", NULL };

	ask(&x, by_rank);
	assert_int_equal(x.a.table.n_rows, 3);
	expect_i64(&x.a, 0, "time", 20 * us);
	expect_i64(&x.a, 1, "time", 0);
	expect_i64(&x.a, 2, "time", 130 * us);
	expect_i64(&x.a, 0, "slack", 30 * us);
	expect_i64(&x.a, 1, "slack", 20 * us);
	expect_cells(&x.a, 2, "slack=0; device=2");
}

/*
 * MPI calls from 0 and 10 us to 30 us: the last arrival is at 10 us, although the path begins with
 * the first operation at 20 us, inside the transfer.
 */
TEST(slack_counts_from_the_arrival)
{
	WITH(struct asked, x, asked_release, asked_init(&x, "path"));
	const char *const by_rank[] = { "rank", NULL };

	for (unsigned pid = 1; pid <= 2; pid++)
		mem_mpi_coll(&x.mem,
			     &(struct mem_call){ .start = (pid - 1) * 10 * us,
						 .end = 30 * us,
						 .pid = pid,
						 .tid = pid,
						 .name = "MPI_Allreduce" },
			     1, 8);
	run(&x, 2, 7, 20 * us, 25 * us, "gemm");
	MEM_API(&x.mem, .start = 31 * us, .end = 32 * us, .pid = 1, .tid = 1, .corr = 7);
	MEM_OP(&x.mem, WL_F_KERNELS, .start = 36 * us, .end = 90 * us, .pid = 1, .stream = 7,
	       .corr = 7, .name = "gemm");
	ask(&x, by_rank);
	assert_int_equal(x.a.table.n_rows, 2);
	expect_i64(&x.a, 0, "time", 70 * us);
	expect_i64(&x.a, 0, "slack", 10 * us);
	expect_i64(&x.a, 1, "slack", 0);
}

TEST(the_chain_names_the_collective)
{
	WITH(struct asked, x, asked_release, fill(&x));
	const char *const by_chain[] = { "chain", NULL };

	ask(&x, by_chain);
	assert_int_equal(x.a.table.n_rows, 2);
	expect_cells(&x.a, 0, "device=2; start=0");
	expect_i64(&x.a, 0, "time", 130 * us);
	expect_cells(&x.a, 0, "class=compute; via=AllReduce 0; to=GPU 0");
	expect_i64(&x.a, 1, "device", 0);
	expect_i64(&x.a, 1, "start", 130 * us);
	assert_false(answer_is_set(&x.a, 1, "to"));
}

TEST(segments_lead_to_their_events)
{
	WITH(struct asked, x, asked_release, fill(&x));
	const char *const by_segment[] = { "segment", NULL };

	ask(&x, by_segment);
	assert_int_equal(x.a.table.n_rows, 2);
	expect_cells(&x.a, 0, "name=gemm; lane=stream 7; pid=3; inferred=1");
	assert_string_equal(answer_str(&x.a, 1, "name"), all_reduce);
	assert_string_equal(answer_str(&x.a, 1, "lane"), "stream 20");
}

TEST(names_keep_their_class)
{
	WITH(struct asked, x, asked_release, fill(&x));
	const char *const by_name[] = { "name", NULL };

	ask(&x, by_name);
	assert_int_equal(x.a.table.n_rows, 2);
	expect_cells(&x.a, 0, "name=gemm; class=compute");
	assert_string_equal(answer_str(&x.a, 1, "class"), "transfer");
}

TEST(a_window_clips_it)
{
	WITH(struct asked, x, asked_release, fill(&x));

	ask_window(&x, 50 * us, 140 * us);
	expect_i64(&x.a, 0, "time", 80 * us);
	expect_i64(&x.a, 1, "time", 10 * us);
	assert_true(answer_f64(&x.a, 1, "share") > 0.111 && answer_f64(&x.a, 1, "share") < 0.112);
	ask_window(&x, 140 * us, 150 * us);
	assert_int_equal(x.a.table.n_rows, 1);
	expect_i64(&x.a, 0, "time", 10 * us);
}

/* Of another GPU nothing is shown, and shares stay those of the whole path. */
TEST(a_selection_narrows_what_is_shown)
{
	WITH(struct asked, x, asked_release, fill(&x));

	ask(&x, NULL);
	x.scope.process_on[1] = x.scope.process_on[2] = false;
	x.scope.device_on[1] = x.scope.device_on[2] = false;
	for (unsigned i = 0; i < MEM_PLACES && i < x.mem.derived.trace->n_places; i++)
		x.scope.place_on[i] = x.mem.derived.trace->places[i].process == 0;
	ask(&x, NULL);
	assert_int_equal(x.a.table.n_rows, 1);
	assert_string_equal(answer_str(&x.a, 0, "class"), "transfer");
	expect_i64(&x.a, 0, "time", 20 * us);
}

TEST(too_much_that_is_unknown_is_refused)
{
	WITH(struct asked, x, asked_release, asked_init(&x, "path"));

	run(&x, 1, 7, 0, 10 * us, "gemm");
	run(&x, 1, 7, 20 * us, 30 * us, "gemm");
	assert_non_null(strstr(ask_in_vain(&x),
			       "33.3% of the critical path is unexplained; record CUDA calls"));
}

TEST(doubts_are_said_first)
{
	WITH(struct asked, x, asked_release, asked_init(&x, "path"));

	run(&x, 1, 7, 0, 400 * us, "gemm");
	run(&x, 1, 7, 410 * us, 500 * us, "gemm");
	ask(&x, NULL);
	assert_non_null(strstr(x.a.table.notes->text, "2.0% of the whole path is unknown"));
}

/* A kernel without a call runs until the first call that was recorded launches another one. */
TEST(launches_before_the_capture_are_said)
{
	WITH(struct asked, x, asked_release, asked_init(&x, "path"));

	run(&x, 1, 7, 0, 10 * us, "gemm");
	MEM_API(&x.mem, .start = 12 * us, .end = 14 * us, .pid = 1, .corr = 5);
	MEM_OP(&x.mem, WL_F_KERNELS, .start = 16 * us, .end = 400 * us, .pid = 1, .stream = 8,
	       .corr = 5);
	ask(&x, NULL);
	assert_true(answer_has_note(
		&x.a, "12 us of the unknown time is at the start: 1 of 1 operations there were "
		      "launched before the capture"));
}

static void copy_on(struct asked *x, unsigned kind, wl_ns start, wl_ns end)
{
	MEM_OP(&x->mem, WL_F_MEMCPYS, .start = start, .end = end, .pid = 1, .stream = 7,
	       .kind = (uint8_t)kind, .bytes = 1 << 20);
}

/* 5 us of copies to the device; and, or not, 100 us within it, which are compute. */
TEST(a_saving_is_of_the_operations_of_its_class)
{
	const char *const with_savings[] = { "class", "yes", NULL };

	for (unsigned within = 0; within < 2; within++) {
		wl_ns at = 100 * us;
		struct asked x;
		int copy = -1;

		asked_init(&x, "path");
		run(&x, 1, 7, 0, at, "gemm");
		if (within)
			copy_on(&x, WL_COPY_D2D, at, at + 100 * us);
		at += within ? 100 * us : 0;
		copy_on(&x, WL_COPY_H2D, at, at + 5 * us);
		run(&x, 1, 7, at + 5 * us, at + 100 * us, "gemm");
		ask(&x, with_savings);
		for (size_t i = 0; i < x.a.table.n_rows; i++)
			copy = strcmp(answer_str(&x.a, i, "class"), "copy") == 0 ? (int)i : copy;
		assert_int_equal(copy, 1);
		expect_i64(&x.a, 1, "time", 5 * us);
		assert_string_equal(answer_str(&x.a, 1, "scenario"), "class=copy:0");
		expect_i64(&x.a, 1, "saving", 5 * us);
		/* The first row is compute. */
		expect_i64(&x.a, 0, "saving", within ? 295 * us : 195 * us);
		asked_release(&x);
	}
}

/* The mean of 100, 110 and 130 us of compute is less than the 130 us of the path; of one idle GPU
 * that meets two busy ones it is more. */
TEST(an_imbalance_below_zero_is_explained)
{
	struct asked x;

	fill(&x);
	ask(&x, NULL);
	assert_false(answer_has_note(&x.a, "imbalance below 0"));
	asked_release(&x);
	asked_init(&x, "path");
	run(&x, 1, 7, 0, 30 * us, "gemm");
	reduce(&x, 1, 30 * us);
	run(&x, 2, 7, 0, 25 * us, "gemm");
	reduce(&x, 2, 25 * us);
	run(&x, 2, 7, 26 * us, 140 * us, "gemm");
	ask(&x, NULL);
	assert_true(answer_has_note(&x.a, "imbalance below 0"));
	asked_release(&x);
}
