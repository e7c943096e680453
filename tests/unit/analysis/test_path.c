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
	mem_op(&x->mem, WL_F_KERNELS,
	       &(struct mem_op){ .start = start,
				 .end = end,
				 .pid = pid,
				 .device = pid - 1,
				 .stream = stream,
				 .name = name });
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

static void classes_add_up_to_the_window(void **state)
{
	struct asked x;

	(void)state;
	fill(&x);
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
	asked_release(&x);
}

/* Without transfers the all-reduce takes none of its 20 us; compute is all that is before it. */
static void savings_stand_beside_it(void **state)
{
	const char *const with[] = { "class", "yes", NULL };
	struct asked x;

	(void)state;
	fill(&x);
	ask(&x, with);
	assert_string_equal(answer_str(&x.a, 0, "scenario"), "class=compute:0");
	expect_i64(&x.a, 0, "saving", 130 * us);
	assert_string_equal(answer_str(&x.a, 1, "scenario"), "comm-free");
	expect_i64(&x.a, 1, "saving", 20 * us);
	asked_release(&x);
}

static void ranks_have_their_slack(void **state)
{
	const char *const by_rank[] = { "rank", NULL };
	struct asked x;

	(void)state;
	fill(&x);
	ask(&x, by_rank);
	assert_int_equal(x.a.table.n_rows, 3);
	expect_i64(&x.a, 0, "time", 20 * us);
	expect_i64(&x.a, 1, "time", 0);
	expect_i64(&x.a, 2, "time", 130 * us);
	expect_i64(&x.a, 0, "slack", 30 * us);
	expect_i64(&x.a, 1, "slack", 20 * us);
	expect_i64(&x.a, 2, "slack", 0);
	expect_i64(&x.a, 2, "device", 2);
	asked_release(&x);
}

/*
 * MPI calls from 0 and 10 us to 30 us: the last arrival is at 10 us, although the path begins with
 * the first operation at 20 us, inside the transfer.
 */
static void slack_counts_from_the_arrival(void **state)
{
	const char *const by_rank[] = { "rank", NULL };
	struct asked x;

	(void)state;
	asked_init(&x, "path");
	for (unsigned pid = 1; pid <= 2; pid++)
		mem_mpi_coll(&x.mem,
			     &(struct mem_call){ .start = (pid - 1) * 10 * us,
						 .end = 30 * us,
						 .pid = pid,
						 .tid = pid,
						 .name = "MPI_Allreduce" },
			     1, 8);
	run(&x, 2, 7, 20 * us, 25 * us, "gemm");
	mem_api(&x.mem, &(struct mem_call){
				.start = 31 * us, .end = 32 * us, .pid = 1, .tid = 1, .corr = 7 });
	mem_op(&x.mem, WL_F_KERNELS,
	       &(struct mem_op){ .start = 36 * us,
				 .end = 90 * us,
				 .pid = 1,
				 .stream = 7,
				 .corr = 7,
				 .name = "gemm" });
	ask(&x, by_rank);
	assert_int_equal(x.a.table.n_rows, 2);
	expect_i64(&x.a, 0, "time", 70 * us);
	expect_i64(&x.a, 0, "slack", 10 * us);
	expect_i64(&x.a, 1, "slack", 0);
	asked_release(&x);
}

static void the_chain_names_the_collective(void **state)
{
	const char *const by_chain[] = { "chain", NULL };
	struct asked x;

	(void)state;
	fill(&x);
	ask(&x, by_chain);
	assert_int_equal(x.a.table.n_rows, 2);
	expect_i64(&x.a, 0, "device", 2);
	expect_i64(&x.a, 0, "start", 0);
	expect_i64(&x.a, 0, "time", 130 * us);
	assert_string_equal(answer_str(&x.a, 0, "class"), "compute");
	assert_string_equal(answer_str(&x.a, 0, "via"), "AllReduce 0");
	assert_string_equal(answer_str(&x.a, 0, "to"), "GPU 0");
	expect_i64(&x.a, 1, "device", 0);
	expect_i64(&x.a, 1, "start", 130 * us);
	assert_false(answer_is_set(&x.a, 1, "to"));
	asked_release(&x);
}

static void segments_lead_to_their_events(void **state)
{
	const char *const by_segment[] = { "segment", NULL };
	struct asked x;

	(void)state;
	fill(&x);
	ask(&x, by_segment);
	assert_int_equal(x.a.table.n_rows, 2);
	assert_string_equal(answer_str(&x.a, 0, "name"), "gemm");
	assert_string_equal(answer_str(&x.a, 0, "lane"), "stream 7");
	expect_i64(&x.a, 0, "pid", 3);
	expect_i64(&x.a, 0, "inferred", 1);
	assert_string_equal(answer_str(&x.a, 1, "name"), all_reduce);
	assert_string_equal(answer_str(&x.a, 1, "lane"), "stream 20");
	asked_release(&x);
}

static void names_keep_their_class(void **state)
{
	const char *const by_name[] = { "name", NULL };
	struct asked x;

	(void)state;
	fill(&x);
	ask(&x, by_name);
	assert_int_equal(x.a.table.n_rows, 2);
	assert_string_equal(answer_str(&x.a, 0, "name"), "gemm");
	assert_string_equal(answer_str(&x.a, 0, "class"), "compute");
	assert_string_equal(answer_str(&x.a, 1, "class"), "transfer");
	asked_release(&x);
}

static void a_window_clips_it(void **state)
{
	struct asked x;

	(void)state;
	fill(&x);
	ask_window(&x, 50 * us, 140 * us);
	expect_i64(&x.a, 0, "time", 80 * us);
	expect_i64(&x.a, 1, "time", 10 * us);
	assert_true(answer_f64(&x.a, 1, "share") > 0.111 && answer_f64(&x.a, 1, "share") < 0.112);
	ask_window(&x, 140 * us, 150 * us);
	assert_int_equal(x.a.table.n_rows, 1);
	expect_i64(&x.a, 0, "time", 10 * us);
	asked_release(&x);
}

/* Of another GPU nothing is shown, and shares stay those of the whole path. */
static void a_selection_narrows_what_is_shown(void **state)
{
	struct asked x;

	(void)state;
	fill(&x);
	ask(&x, NULL);
	x.scope.process_on[1] = x.scope.process_on[2] = false;
	x.scope.device_on[1] = x.scope.device_on[2] = false;
	for (unsigned i = 0; i < MEM_PLACES && i < x.mem.derived.trace->n_places; i++)
		x.scope.place_on[i] = x.mem.derived.trace->places[i].process == 0;
	ask(&x, NULL);
	assert_int_equal(x.a.table.n_rows, 1);
	assert_string_equal(answer_str(&x.a, 0, "class"), "transfer");
	expect_i64(&x.a, 0, "time", 20 * us);
	asked_release(&x);
}

static void too_much_that_is_unknown_is_refused(void **state)
{
	struct asked x;

	(void)state;
	asked_init(&x, "path");
	run(&x, 1, 7, 0, 10 * us, "gemm");
	run(&x, 1, 7, 20 * us, 30 * us, "gemm");
	assert_non_null(strstr(ask_in_vain(&x), "nothing explains 33.3% of it"));
	asked_release(&x);
}

static void doubts_are_said_first(void **state)
{
	struct asked x;

	(void)state;
	asked_init(&x, "path");
	run(&x, 1, 7, 0, 400 * us, "gemm");
	run(&x, 1, 7, 410 * us, 500 * us, "gemm");
	ask(&x, NULL);
	assert_non_null(strstr(x.a.table.notes->text, "2.0% of the whole path is unknown"));
	asked_release(&x);
}

/* A kernel without a call runs until the first call that was recorded launches another one. */
static void launches_before_the_capture_are_said(void **state)
{
	struct asked x;

	(void)state;
	asked_init(&x, "path");
	run(&x, 1, 7, 0, 10 * us, "gemm");
	mem_api(&x.mem,
		&(struct mem_call){ .start = 12 * us, .end = 14 * us, .pid = 1, .corr = 5 });
	mem_op(&x.mem, WL_F_KERNELS,
	       &(struct mem_op){
		       .start = 16 * us, .end = 400 * us, .pid = 1, .stream = 8, .corr = 5 });
	ask(&x, NULL);
	assert_true(answer_has_note(&x.a, "12 us are at the start: 1 of 1 operations there were "
					  "launched before the capture begins"));
	asked_release(&x);
}

static void copy_on(struct asked *x, unsigned kind, wl_ns start, wl_ns end)
{
	mem_op(&x->mem, WL_F_MEMCPYS,
	       &(struct mem_op){ .start = start,
				 .end = end,
				 .pid = 1,
				 .stream = 7,
				 .kind = (uint8_t)kind,
				 .bytes = 1 << 20 });
}

/* 5 us of copies to the device; and, or not, 100 us within it, which are compute. */
static void a_saving_is_of_the_operations_of_its_class(void **state)
{
	const char *const with_savings[] = { "class", "yes", NULL };

	(void)state;
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
static void an_imbalance_below_zero_is_explained(void **state)
{
	struct asked x;

	(void)state;
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

TEST_MAIN(path)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_saving_is_of_the_operations_of_its_class),
		cmocka_unit_test(an_imbalance_below_zero_is_explained),
		cmocka_unit_test(classes_add_up_to_the_window),
		cmocka_unit_test(savings_stand_beside_it),
		cmocka_unit_test(ranks_have_their_slack),
		cmocka_unit_test(slack_counts_from_the_arrival),
		cmocka_unit_test(the_chain_names_the_collective),
		cmocka_unit_test(segments_lead_to_their_events),
		cmocka_unit_test(names_keep_their_class),
		cmocka_unit_test(a_window_clips_it),
		cmocka_unit_test(a_selection_narrows_what_is_shown),
		cmocka_unit_test(too_much_that_is_unknown_is_refused),
		cmocka_unit_test(doubts_are_said_first),
		cmocka_unit_test(launches_before_the_capture_are_said),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
