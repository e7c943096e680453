/* SPDX-License-Identifier: MIT */
#include "derive/comm/clock_line.h"

#include <stdlib.h>

#include "support/unit.h"

enum { MOST = 500 };

static const wl_ns ms = 1000000;

struct ends {
	wl_ns first[MOST], second[MOST];
	size_t n;
};

static uint64_t next(uint64_t *state)
{
	*state = *state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
	return *state >> 33;
}

static int by_slope(const void *va, const void *vb)
{
	const double *a = va, *b = vb;

	return (*a > *b) - (*a < *b);
}

/* By definition: all slopes of at most WL_LINE_SAMPLES samples, sorted. */
static double median_slope(const struct ends *e)
{
	static double slope[WL_LINE_SAMPLES * WL_LINE_SAMPLES];
	size_t m = e->n < WL_LINE_SAMPLES ? e->n : WL_LINE_SAMPLES, n = 0;

	for (size_t x = 0; x < m; x++) {
		for (size_t y = x + 1; y < m; y++) {
			size_t i = x * e->n / m, k = y * e->n / m;
			wl_ns dt = e->second[k] - e->second[i], df = e->first[k] - e->first[i];

			if (dt > 0)
				slope[n++] = (double)(dt - df) / (double)dt;
		}
	}
	qsort(slope, n, sizeof(*slope), by_slope);
	return n ? slope[(n + 1) / 2 - 1] : 0;
}

static void check(const struct ends *e)
{
	WITH(struct wl_arena, arena, wl_arena_release, wl_arena_init(&arena, 64 << 20));
	struct wl_clock_line line;
	double slope = median_slope(e);

	assert_true(wl_clock_line_fit(e->first, e->second, e->n, &arena, &line));
	if (e->n < WL_DRIFT_EVENTS || slope < -0.001 || slope > 0.001)
		slope = 0;
	assert_true(line.slope <= slope && line.slope >= slope);
}

/* Ends some 10 ms apart, with noise on the second clock, which may drift. */
static void make(struct ends *e, size_t n, double drift, wl_ns noise, uint64_t seed)
{
	wl_ns at = 1000 * ms;

	e->n = n;
	for (size_t i = 0; i < n; i++) {
		at += 100 * ms + (wl_ns)next(&seed) % ms;
		e->first[i] = at;
		e->second[i] = at + (wl_ns)(drift * (double)at);
		e->second[i] += noise ? (wl_ns)next(&seed) % noise : 0;
	}
}

TEST(the_slope_is_the_median_of_all)
{
	static const size_t n[] = { 19, 20, 21, 60, 199, 200, 201, MOST };
	struct ends e;

	for (size_t i = 0; i < WL_COUNT(n); i++) {
		for (uint64_t seed = 1; seed < 20; seed++) {
			make(&e, n[i], 20e-6, 1000, seed);
			check(&e);
			make(&e, n[i], -3e-6, 40 * ms, seed);
			check(&e);
		}
	}
}

TEST(clocks_that_agree_have_no_slope)
{
	struct ends e;

	make(&e, MOST, 0, 0, 1);
	check(&e);
	e.second[7] += 30 * ms;
	check(&e);
}

/* Pairs of some distances say little of all: the guess is wrong, the answer is not. */
TEST(odd_slopes_do_not_mislead)
{
	struct ends e;

	for (wl_ns every = 2; every < 40; every++) {
		make(&e, 200, 10e-6, 100, (uint64_t)every);
		for (size_t i = 0; i < e.n; i++)
			e.second[i] += (wl_ns)i % every == 0 ? 60 * ms : 0;
		check(&e);
	}
}

TEST(equal_and_unordered_times_have_no_slope)
{
	struct ends e;

	make(&e, 200, 10e-6, 100, 1);
	for (size_t i = 50; i < 90; i++)
		e.second[i] = e.second[50];
	check(&e);
	for (size_t i = 0; i < e.n; i++)
		e.second[i] = 5 * ms;
	check(&e);
	for (size_t i = 0; i < e.n; i++)
		e.second[i] = (wl_ns)(e.n - i) * ms;
	check(&e);
}
