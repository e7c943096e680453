/* SPDX-License-Identifier: MIT */
#include "fleet/history/newest.h"

#include "support/arena.h"
#include "support/normal.h"
#include "support/unit.h"

static const struct wl_hist_opts usual = { .threshold = 0.01 };

static struct wl_hist_changes find(const int64_t *value, size_t n, struct wl_arena *arena)
{
	struct wl_hist_changes c;

	assert_true(wl_hist_find(value, n, &usual, arena, &c));
	return c;
}

static struct wl_hist_verdict newest(const int64_t *value, size_t n, struct wl_arena *arena)
{
	struct wl_hist_newest v;

	assert_true(wl_hist_newest(&(struct wl_hist_runs){ value, NULL, n }, &usual, arena, &v));
	return v.verdict;
}

TEST(no_runs_have_no_changes)
{
	int64_t one = 5;

	assert_int_equal(find(&one, 0, *state).n, 0);
	assert_int_equal(find(&one, 1, *state).n, 0);
}

static void expect_newest(const int64_t *value, size_t n, const char *name, struct wl_arena *arena)
{
	struct wl_hist_verdict v = newest(value, n, arena);

	assert_string_equal(wl_hist_verdict_name(&v), name);
}

TEST(fewer_than_five_runs_are_insufficient)
{
	const int64_t v[] = { 1000, 1001, 999, 1000, 2000, 2000 };

	for (size_t n = 1; n <= 5; n++)
		expect_newest(v, n, "insufficient", *state);
	/* Five runs before it: noise of two kinds, and no verdict. */
	expect_newest(v, 6, "inconclusive", *state);
}

TEST(one_run_is_judged_by_the_noise_of_those_before)
{
	int64_t v[] = { 1000, 1002, 998, 1001, 999, 1000, 1003, 1000 };

	expect_newest(v, 8, "same", *state);
	v[7] = 1040;
	expect_newest(v, 8, "slower", *state);
	v[7] = 960;
	expect_newest(v, 8, "faster", *state);
	v[7] = 1011; /* beyond the threshold, and the noise reaches back below it */
	expect_newest(v, 8, "slower", *state);
	v[7] = 1009; /* below the threshold, and the noise reaches beyond it */
	expect_newest(v, 8, "inconclusive", *state);
}

/* Without noise every change beyond the threshold is certain, and any below it is none. */
TEST(equal_runs_have_no_noise)
{
	int64_t v[] = { 1000, 1000, 1000, 1000, 1000, 1005, 1005, 1005, 1005, 1005, 1005 };
	struct wl_hist_changes c;

	assert_int_equal(find(v, 11, *state).n, 0);
	expect_newest(v, 6, "same", *state);
	for (size_t i = 5; i < 11; i++)
		v[i] = 1020;
	expect_newest(v, 6, "slower", *state);
	c = find(v, 11, *state);
	assert_int_equal(c.n, 1);
	assert_int_equal(c.change[0].verdict.at, 5);
	assert_int_equal(c.change[0].verdict.from, 0);
	assert_int_equal(c.change[0].verdict.judged.before, 1000);
	assert_int_equal(c.change[0].verdict.judged.after, 1020);
	assert_int_equal(c.change[0].verdict.noise, 0);
	assert_int_equal(c.change[0].confirmed, 7);
	/* The run itself and one further do not confirm it. */
	assert_int_equal(find(v, 7, *state).n, 0);
	assert_int_equal(find(v, 8, *state).n, 1);
}

TEST(a_single_slow_night_is_no_change)
{
	int64_t v[40];

	for (int i = 0; i < 40; i++)
		v[i] = 1000000 + i % 7 * 1000;
	v[20] = 1500000;
	assert_int_equal(find(v, 40, *state).n, 0);
	v[21] = 1500000;
	assert_int_equal(find(v, 40, *state).n, 0);
	expect_newest(v, 21, "slower", *state);
}

/* A regression that is repaired again: both are found, and the baseline is the level in between. */
TEST(what_comes_and_goes_is_two_changes)
{
	struct wl_hist_changes c;
	int64_t v[40];

	for (int i = 0; i < 40; i++)
		v[i] = (i >= 15 && i < 22 ? 1100000 : 1000000) + i % 7 * 1000;
	c = find(v, 40, *state);
	assert_int_equal(c.n, 2);
	assert_int_equal(c.change[0].verdict.at, 15);
	assert_int_equal(c.change[0].verdict.from, 5);
	assert_int_equal(c.change[0].verdict.end, 22);
	assert_int_equal(c.change[0].verdict.judged.verdict, WL_SLOWER);
	assert_int_equal(c.change[1].verdict.at, 22);
	assert_int_equal(c.change[1].verdict.from, 15);
	assert_int_equal(c.change[1].verdict.end, 32);
	assert_int_equal(c.change[1].verdict.judged.verdict, WL_FASTER);
}

/* 1,000 series of 60 nights with 2% noise and no change. */
TEST(quiet_series_have_at_most_one_false_verdict_in_a_hundred)
{
	const int n_series = 1000;
	uint64_t seed = 7;
	int n_changed = 0, n_newest = 0;

	for (int i = 0; i < n_series; i++) {
		struct wl_hist_verdict v;
		struct wl_arena arena;
		int64_t value[60];

		wl_arena_init_child(&arena, *state);
		for (int k = 0; k < 60; k++)
			value[k] = (int64_t)(50e6 * (1 + 0.02 * random_normal(&seed)));
		n_changed += find(value, 60, &arena).n != 0;
		v = newest(value, 60, &arena);
		n_newest += v.judged.verdict == WL_SLOWER || v.judged.verdict == WL_FASTER;
		wl_arena_release(&arena);
	}
	assert_true(n_changed * 100 <= n_series);
	assert_true(n_newest * 100 <= n_series);
}

TEST(without_memory_there_is_no_answer)
{
	const int64_t v[] = { 1, 2, 3, 4, 5, 100, 101, 102, 103 };
	struct wl_hist_changes c;
	struct wl_hist_newest one;
	WITH(struct wl_arena, arena, wl_arena_release, wl_arena_init(&arena, 100));

	assert_false(wl_hist_find(v, 9, &usual, &arena, &c));
	assert_false(wl_hist_newest(&(struct wl_hist_runs){ v, NULL, 9 }, &usual, &arena, &one));
}

TEST_GROUP(open_arena, close_arena)
