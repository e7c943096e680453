/* SPDX-License-Identifier: MIT */
#include "compare/stats/series.h"

#include "support/unit.h"

enum { BUDGET = 1 << 20 };

TEST(small_series_are_kept_whole)
{
	WITH(struct wl_arena, arena, wl_arena_release, wl_arena_init(&arena, BUDGET));
	const int64_t v[] = { 5, 1, 4, 1, 3 };
	const int64_t want[] = { 1, 1, 3, 4, 5 };
	struct wl_series s;
	struct wl_sorted all;

	assert_true(wl_series_make(v, 5, &arena, &s));
	assert_int_equal(s.n, 5);
	assert_int_equal(s.n_kept, 5);
	assert_memory_equal(s.at, want, sizeof(want));
	assert_true(wl_series_expand(&s, &arena, &all));
	assert_int_equal(all.n, 5);
	assert_memory_equal(all.at, want, sizeof(want));
}

/* A permutation of n values: both ends and the median are exact, the rest is near. */
static void check_series(size_t n)
{
	WITH(struct wl_arena, arena, wl_arena_release, wl_arena_init(&arena, BUDGET));
	int64_t v[512];
	struct wl_series s;
	struct wl_sorted all;

	for (size_t i = 0; i < n; i++)
		v[i] = (int64_t)(i * 7919 % n * 1000); /* a prime above n */
	assert_true(wl_series_make(v, n, &arena, &s));
	assert_int_equal(s.n_kept, WL_SERIES_KEPT);
	assert_true(wl_series_expand(&s, &arena, &all));
	assert_int_equal(all.n, n);
	assert_int_equal(all.at[0], 0);
	assert_int_equal(all.at[n - 1], (int64_t)(n - 1) * 1000);
	assert_int_equal(wl_sorted_median(all), (int64_t)((n + 1) / 2 - 1) * 1000);
	for (size_t i = 0; i < n; i++)
		assert_in_range(all.at[i] - (int64_t)i * 1000 + 1, 0, 2);
}

TEST(of_large_ones_ends_and_median_stay)
{
	for (size_t n = WL_SERIES_KEPT + 1; n <= 512; n++)
		check_series(n);
}

static size_t worth_of(const int64_t *v, size_t n)
{
	struct wl_arena arena;
	struct wl_sorted s;

	wl_arena_init(&arena, BUDGET);
	assert_true(wl_sorted_make(v, n, &arena, &s));
	wl_arena_release(&arena);
	return s.draws;
}

TEST(a_trend_is_worth_little)
{
	int64_t trend[100], zigzag[100], flat[100];

	for (int i = 0; i < 100; i++) {
		trend[i] = 1000 + i;
		zigzag[i] = 1000 + i % 2;
		flat[i] = 7;
	}
	assert_in_range(worth_of(trend, 100), 1, 3);
	assert_int_equal(worth_of(zigzag, 100), 100);
	assert_int_equal(worth_of(flat, 100), 100);
	assert_int_equal(worth_of(flat, 1), 1);
	assert_int_equal(worth_of(flat, 0), 0);
}

TEST(without_memory_there_is_none)
{
	const int64_t v[] = { 3, 2, 1 };
	struct wl_arena arena;
	struct wl_series s;

	for (size_t budget = 0; budget < 64; budget += 16) {
		wl_arena_init(&arena, budget);
		assert_false(wl_series_make(v, 3, &arena, &s));
		wl_arena_release(&arena);
	}
}
