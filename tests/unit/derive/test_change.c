/* SPDX-License-Identifier: MIT */
#include "derive/iters/change.h"

#include "support/unit.h"

enum { N = 24, STEP = 10000000 };

static struct wl_series_change find(const wl_ns *value, size_t n)
{
	struct wl_series_change found;
	struct wl_arena arena;

	wl_arena_init(&arena, 1 << 20);
	assert_true(wl_change_find(value, n, &arena, &found));
	wl_arena_release(&arena);
	return found;
}

/* Steps that differ by a tenth of a percent, those of [begin, end) longer by so many percent. */
static void make(wl_ns *value, size_t begin, size_t end, wl_ns percent)
{
	for (size_t i = 0; i < N; i++) {
		value[i] = STEP + (wl_ns)(i * 7919 % 11) * 1000;
		if (begin <= i && i < end)
			value[i] += value[i] * percent / 100;
	}
}

static void expect(const wl_ns *value, enum wl_change_kind kind, size_t begin, size_t end)
{
	struct wl_series_change found = find(value, N);

	assert_int_equal(found.kind, kind);
	if (kind != WL_CHANGE_NONE) {
		assert_int_equal(found.begin, begin);
		assert_int_equal(found.end, end);
	}
}

TEST(equal_and_uneven_steps_have_no_change)
{
	wl_ns value[N];

	make(value, 0, N, 0);
	expect(value, WL_CHANGE_NONE, 0, 0);
	for (size_t i = 0; i < N; i++)
		value[i] = STEP;
	expect(value, WL_CHANGE_NONE, 0, 0);
	for (size_t i = 0; i < N; i++)
		value[i] = 0;
	expect(value, WL_CHANGE_NONE, 0, 0);
	/* Every fifth is slow. */
	for (size_t i = 0; i < N; i++)
		value[i] = i % 5 == 3 ? 2 * STEP : STEP;
	expect(value, WL_CHANGE_NONE, 0, 0);
}

TEST(a_stretch_is_a_level_a_warm_up_or_an_episode)
{
	wl_ns value[N];

	make(value, 10, N, 20);
	expect(value, WL_CHANGE_LEVEL, 0, 10);
	make(value, 0, 10, 20);
	expect(value, WL_CHANGE_LEVEL, 0, 10);
	make(value, 0, 6, 20);
	expect(value, WL_CHANGE_WARM_UP, 0, 6);
	make(value, 8, 16, 20);
	expect(value, WL_CHANGE_EPISODE, 8, 16);
	assert_int_equal(find(value, N).outside / 100000, 100);
	assert_int_equal(find(value, N).inside / 100000, 120);
	/* Faster ones, too. */
	make(value, 8, 16, -20);
	expect(value, WL_CHANGE_EPISODE, 8, 16);
	/* Less than 3% is no change. */
	make(value, 10, N, 2);
	expect(value, WL_CHANGE_NONE, 0, 0);
}

TEST(a_short_run_of_slow_steps_is_an_episode)
{
	wl_ns value[N];

	make(value, 11, 15, 30);
	expect(value, WL_CHANGE_EPISODE, 11, 15);
	/* Up to the end, too: it is no level, whose limit it does not reach. */
	make(value, N - 4, N, 30);
	expect(value, WL_CHANGE_EPISODE, N - 4, N);
	/* 3 of 24 are one run in 22 of 2,024 orders. */
	make(value, 11, 14, 30);
	expect(value, WL_CHANGE_NONE, 0, 0);
}

TEST(growth_is_a_drift)
{
	wl_ns value[N];
	struct wl_series_change found;

	for (size_t i = 0; i < N; i++)
		value[i] = STEP + (wl_ns)i * 100000;
	found = find(value, N);
	assert_int_equal(found.kind, WL_CHANGE_DRIFT);
	assert_int_equal(found.outside, STEP);
	assert_int_equal(found.inside, STEP + 2300000);
	assert_true(found.z > 6);
	for (size_t i = 0; i < N; i++)
		value[i] = 2 * STEP - (wl_ns)i * 100000;
	found = find(value, N);
	assert_int_equal(found.kind, WL_CHANGE_DRIFT);
	assert_true(found.z < -6);
	/* By less than 3 %. */
	for (size_t i = 0; i < N; i++)
		value[i] = STEP + (wl_ns)i * 10000;
	expect(value, WL_CHANGE_NONE, 0, 0);
}

TEST(growth_from_one_level_to_another_is_a_ramp)
{
	wl_ns value[N], mirrored[N];
	struct wl_series_change found;

	/* By a percent of the first level in each of the 9 from 5 on: 10% from 14 on. */
	make(value, 0, N, 0);
	for (size_t i = 5; i < N; i++)
		value[i] += STEP / 100 * (wl_ns)(i < 14 ? i - 4 : 10);
	found = find(value, N);
	assert_int_equal(found.kind, WL_CHANGE_RAMP);
	assert_int_equal(found.begin, 5);
	assert_int_equal(found.end, 14);
	assert_int_equal(found.outside / 100000, 100);
	assert_int_equal(found.inside / 100000, 110);
	/* The other way round it falls. */
	for (size_t i = 0; i < N; i++)
		mirrored[i] = value[N - 1 - i];
	expect(mirrored, WL_CHANGE_RAMP, N - 14, N - 5);
	assert_int_equal(find(mirrored, N).inside / 100000, 100);
}

TEST(a_ramp_has_four_numbers_and_four_at_the_faster_level)
{
	wl_ns value[N];

	/* One between two levels. */
	make(value, 10, N, 20);
	value[10] = STEP + STEP / 10;
	assert_int_equal(find(value, N).kind, WL_CHANGE_LEVEL);
	/* Growth from the second on. */
	for (size_t i = 0; i < N; i++)
		value[i] = STEP + (wl_ns)(i > 0 ? i : 1) * 100000;
	assert_int_equal(find(value, N).kind, WL_CHANGE_DRIFT);
}

TEST(short_and_hostile_series_have_none)
{
	wl_ns value[WL_CHANGE_MOST + 1];

	for (size_t i = 0; i <= WL_CHANGE_MOST; i++)
		value[i] = i < 8 ? STEP : 2 * STEP;
	assert_int_equal(find(value, WL_CHANGE_FEWEST).kind, WL_CHANGE_LEVEL);
	assert_int_equal(find(value, WL_CHANGE_FEWEST - 1).kind, WL_CHANGE_NONE);
	assert_int_equal(find(value, 0).kind, WL_CHANGE_NONE);
	assert_int_equal(find(value, WL_CHANGE_MOST).kind, WL_CHANGE_LEVEL);
	assert_int_equal(find(value, WL_CHANGE_MOST + 1).kind, WL_CHANGE_NONE);
	value[3] = INT64_MAX;
	assert_int_equal(find(value, WL_CHANGE_FEWEST).kind, WL_CHANGE_NONE);
	value[3] = -1;
	assert_int_equal(find(value, WL_CHANGE_FEWEST).kind, WL_CHANGE_NONE);
}

TEST(a_middle_is_rounded_down)
{
	wl_ns even[] = { 5, 2, 9, 4 }, odd[] = { 5, 2, 9 };

	assert_int_equal(wl_middle(even, 4), 4);
	assert_int_equal(wl_middle(odd, 3), 5);
	assert_int_equal(wl_middle(odd, 0), 0);
}
