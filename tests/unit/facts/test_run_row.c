/* SPDX-License-Identifier: MIT */
#include <string.h>

#include "facts/run.h"
#include "support/unit.h"

static struct wl_budget budget;

static void add_rank(struct wl_facts *f, uint32_t number, const char *part, int64_t start)
{
	wl_facts_row(f, WL_FACTS_RANKS);
	wl_facts_put(f, WL_FACTS_RANKS_NUMBER, number);
	wl_facts_put_str(f, WL_FACTS_RANKS_PART, part);
	wl_facts_put_str(f, WL_FACTS_RANKS_JOB, "4711");
	wl_facts_put(f, WL_FACTS_RANKS_START, start);
}

static void add_step(struct wl_facts *f, uint32_t rank, uint32_t step, int64_t period)
{
	wl_facts_row(f, WL_FACTS_STEPS);
	wl_facts_put(f, WL_FACTS_STEPS_RANK, rank);
	wl_facts_put(f, WL_FACTS_STEPS_STEP, step);
	wl_facts_put(f, WL_FACTS_STEPS_PERIOD, period);
}

static void add_work(struct wl_facts *f, uint32_t rank, uint32_t step, uint32_t op, int64_t sum)
{
	wl_facts_row(f, WL_FACTS_OP_WORK);
	wl_facts_put(f, WL_FACTS_OP_WORK_RANK, rank);
	wl_facts_put(f, WL_FACTS_OP_WORK_STEP, step);
	wl_facts_put(f, WL_FACTS_OP_WORK_OP, op);
	wl_facts_put(f, WL_FACTS_OP_WORK_CALLS, 2);
	wl_facts_put(f, WL_FACTS_OP_WORK_SUM, sum);
}

TEST(a_run_is_the_longest_rank_of_each_step)
{
	WITH(struct wl_facts, f, wl_facts_release, wl_facts_init(&f, &budget));
	static const int64_t period[2][3] = { { 50, 52, 90 }, { 51, 60, 40 } };

	add_rank(&f, 0, "a", 1000);
	add_rank(&f, 1, "b", 2000);
	for (uint32_t r = 0; r < 2; r++)
		for (uint32_t s = 0; s < 3; s++)
			add_step(&f, r, s, period[r][s]);
	assert_true(wl_facts_make_run(&f));
	assert_int_equal(f.n[WL_FACTS_RUNS], 1);
	assert_int_equal(wl_facts_u32(&f, WL_FACTS_RUNS_STEPS, 0), 3);
	assert_int_equal(wl_facts_u32(&f, WL_FACTS_RUNS_RANKS, 0), 2);
	assert_int_equal(wl_facts_u32(&f, WL_FACTS_RUNS_WORLD, 0), 2);
	assert_int_equal(wl_facts_i64(&f, WL_FACTS_RUNS_STEP_P50, 0), 60); /* of 51, 60, 90 */
	assert_int_equal(wl_facts_i64(&f, WL_FACTS_RUNS_BEGIN, 0), 1000);
	assert_int_equal(strlen(wl_facts_str(&f, WL_FACTS_RUNS_RUN_ID, 0)), 32);
}

TEST(a_late_rank_is_a_new_version_of_the_same_run)
{
	struct wl_facts f[3];

	for (uint32_t i = 0; i < 3; i++) {
		wl_facts_init(&f[i], &budget);
		add_rank(&f[i], 0, "a", i == 2 ? 1001 : 1000);
		if (i == 1)
			add_rank(&f[i], 1, "b", 2000);
		assert_true(wl_facts_make_run(&f[i]));
	}
	assert_string_equal(wl_facts_str(&f[0], WL_FACTS_RUNS_RUN_ID, 0),
			    wl_facts_str(&f[1], WL_FACTS_RUNS_RUN_ID, 0));
	assert_string_not_equal(wl_facts_str(&f[0], WL_FACTS_RUNS_VERSION, 0),
				wl_facts_str(&f[1], WL_FACTS_RUNS_VERSION, 0));
	assert_string_not_equal(wl_facts_str(&f[0], WL_FACTS_RUNS_RUN_ID, 0),
				wl_facts_str(&f[2], WL_FACTS_RUNS_RUN_ID, 0));
	for (size_t i = 0; i < 3; i++)
		wl_facts_release(&f[i]);
}

TEST(operations_of_a_step_are_those_of_all_ranks)
{
	WITH(struct wl_facts, f, wl_facts_release, wl_facts_init(&f, &budget));

	for (uint32_t r = 0; r < 3; r++) {
		add_rank(&f, r, "a", 1000);
		add_work(&f, r, 0, 0, 30 - 10 * (int64_t)r);
		if (r > 0)
			add_work(&f, r, 0, 1, 7);
		add_work(&f, r, 1, 0, 5);
	}
	assert_true(wl_facts_make_run(&f));
	assert_int_equal(f.n[WL_FACTS_OP_STEP], 3);
	assert_int_equal(wl_facts_i64(&f, WL_FACTS_OP_STEP_SUM, 0), 60);
	assert_int_equal(wl_facts_i64(&f, WL_FACTS_OP_STEP_MIN, 0), 10);
	assert_int_equal(wl_facts_i64(&f, WL_FACTS_OP_STEP_P50, 0), 20);
	assert_int_equal(wl_facts_i64(&f, WL_FACTS_OP_STEP_MAX, 0), 30);
	assert_int_equal(wl_facts_u32(&f, WL_FACTS_OP_STEP_MIN_RANK, 0), 2);
	assert_int_equal(wl_facts_u32(&f, WL_FACTS_OP_STEP_MAX_RANK, 0), 0);
	assert_int_equal(wl_facts_u64(&f, WL_FACTS_OP_STEP_CALLS, 0), 6);
	assert_int_equal(wl_facts_u32(&f, WL_FACTS_OP_STEP_OP, 1), 1);
	assert_int_equal(wl_facts_u32(&f, WL_FACTS_OP_STEP_RANKS, 1), 2);
	assert_int_equal(wl_facts_u32(&f, WL_FACTS_OP_STEP_STEP, 2), 1);
	/* Of equal ones the first. */
	assert_int_equal(wl_facts_u32(&f, WL_FACTS_OP_STEP_MIN_RANK, 2), 0);
}

TEST(a_run_without_steps_has_no_median)
{
	WITH(struct wl_facts, f, wl_facts_release, wl_facts_init(&f, &budget));

	add_rank(&f, 0, "a", 1000);
	assert_true(wl_facts_make_run(&f));
	assert_int_equal(wl_facts_u32(&f, WL_FACTS_RUNS_STEPS, 0), 0);
	assert_true(wl_facts_i64(&f, WL_FACTS_RUNS_STEP_P50, 0) == WL_FACTS_NONE);
}
