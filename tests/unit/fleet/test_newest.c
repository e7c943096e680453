/* SPDX-License-Identifier: MIT */
#include "fleet/history/newest.h"

#include "support/arena.h"
#include "support/normal.h"
#include "support/unit.h"

static const struct wl_hist_opts usual = { .threshold = 0.01 };

enum { NIGHTS = 40 };

static struct wl_hist_newest judge(const int64_t *value, size_t n, const bool *is_acked,
				   struct wl_arena *arena)
{
	struct wl_hist_newest v;

	assert_true(
		wl_hist_newest(&(struct wl_hist_runs){ value, is_acked, n }, &usual, arena, &v));
	return v;
}

static int status(const int64_t *value, size_t n, const bool *is_acked, struct wl_arena *arena)
{
	struct wl_hist_newest v = judge(value, n, is_acked, arena);

	return wl_hist_newest_status(&v);
}

/* Nights of a level with a spread of 0.1%, which changes to another one at a night. */
static void fill(int64_t *value, size_t from, size_t end, int64_t level)
{
	for (size_t i = from; i < end; i++)
		value[i] = level + (int64_t)(i * 7 % 5) * level / 2000;
}

TEST(a_step_fails_every_night_until_it_is_acknowledged)
{
	bool acked[NIGHTS] = { false };
	int64_t v[NIGHTS];

	fill(v, 0, 6, 12390000);
	fill(v, 6, 13, 13760000);
	assert_int_equal(status(v, 6, acked, *state), 0);
	for (size_t n = 7; n <= 13; n++)
		assert_int_equal(status(v, n, acked, *state), 1);
	/* Whichever of its runs is acknowledged, the level from its first run on counts. */
	for (size_t run = 6; run < 13; run++) {
		acked[run] = true;
		assert_int_equal(status(v, 13, acked, *state), 0);
		assert_int_equal(judge(v, 13, acked, *state).state[0], WL_HIST_ACKED);
		acked[run] = false;
	}
	/* With few runs of it, too; and the run that is acknowledged passes by itself. */
	acked[6] = true;
	for (size_t n = 7; n <= 13; n++)
		assert_int_equal(status(v, n, acked, *state), 0);
	/* The next step is another matter. */
	fill(v, 13, 15, 15000000);
	assert_int_equal(status(v, 14, acked, *state), 1);
	assert_int_equal(status(v, 15, acked, *state), 1);
}

/* The gate fails if and only if regressions shows an open change, or the newest run is slower. */
TEST(gate_and_changes_agree)
{
	struct wl_hist_newest v;
	int64_t value[NIGHTS];

	fill(value, 0, 6, 12390000);
	fill(value, 6, 13, 13760000);
	v = judge(value, 13, NULL, *state);
	assert_int_equal(v.changes.n, 1);
	assert_int_equal(v.changes.change[0].verdict.at, 6);
	assert_int_equal(v.state[0], WL_HIST_OPEN);
	assert_int_equal(v.open, 0);
	assert_string_equal(wl_hist_newest_name(&v), "slower");
	/* Its runs are no baseline. */
	for (size_t i = 0; i < v.verdict.at; i++)
		assert_true(v.run[i] < 6);
	assert_int_equal(v.run[v.verdict.at], 12);
}

TEST(runs_that_are_back_pass_and_end_the_change)
{
	int64_t v[NIGHTS];

	fill(v, 0, 10, 1000000);
	fill(v, 10, 16, 1100000);
	fill(v, 16, 30, 1000000);
	assert_int_equal(status(v, 16, NULL, *state), 1);
	for (size_t n = 17; n <= 30; n++)
		assert_int_equal(status(v, n, NULL, *state), 0);
	assert_int_equal(judge(v, 30, NULL, *state).state[0], WL_HIST_OVER);
}

TEST(half_a_repair_leaves_it_open)
{
	int64_t v[NIGHTS];

	fill(v, 0, 10, 1000000);
	fill(v, 10, 20, 1200000);
	fill(v, 20, 30, 1140000);
	for (size_t n = 11; n <= 30; n++)
		assert_int_equal(status(v, n, NULL, *state), 1);
}

TEST(faster_is_the_new_baseline_by_itself)
{
	int64_t v[NIGHTS];

	fill(v, 0, 10, 1000000);
	fill(v, 10, 20, 900000);
	fill(v, 20, 24, 1000000);
	for (size_t n = 11; n <= 20; n++)
		assert_int_equal(status(v, n, NULL, *state), 0);
	for (size_t n = 21; n <= 24; n++)
		assert_int_equal(status(v, n, NULL, *state), 1);
}

/* One night on a slow node, which a standard deviation would take for noise. */
TEST(an_outlier_does_not_hide_the_next_step)
{
	int64_t v[NIGHTS];

	fill(v, 0, 12, 1000000);
	v[4] = 1400000;
	assert_int_equal(status(v, 12, NULL, *state), 0);
	fill(v, 12, 14, 1050000);
	assert_int_equal(status(v, 13, NULL, *state), 1);
	assert_int_equal(status(v, 14, NULL, *state), 1);
}

TEST(a_change_that_moves_stays_acknowledged)
{
	bool acked[NIGHTS] = { false };
	int64_t v[NIGHTS];

	fill(v, 0, 10, 1000000);
	v[10] = 1030000; /* acknowledged here, and the level begins with the next */
	acked[10] = true;
	fill(v, 11, 22, 1100000);
	for (size_t n = 17; n <= 22; n++)
		assert_int_equal(status(v, n, acked, *state), 0);
}

TEST(runs_before_the_first_are_insufficient)
{
	int64_t v[NIGHTS];

	fill(v, 0, NIGHTS, 1000000);
	for (size_t n = 1; n <= 5; n++)
		assert_int_equal(status(v, n, NULL, *state), 4);
	assert_int_equal(status(v, 6, NULL, *state), 0);
}

TEST_GROUP(open_arena, close_arena)
