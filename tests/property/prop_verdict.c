/* SPDX-License-Identifier: MIT */
/*
 * Noise alone must not look like a change: of 1,000 pairs of samples from one
 * distribution at most 5% get a verdict of slower or faster, for several shapes and
 * numbers of steps. The distributions are wide (5% and more), so that the threshold of
 * 1% does not help. Steps that depend on the steps before them may do worse where there
 * are few; how much is bounded here, too. And a real change is found. Swapped sides give the
 * mirror image of the interval.
 */
#include <math.h>

#include "compare/diff/verdict.h"
#include "compare/stats/series.h"
#include "support/random.h"
#include "support/unit.h"

enum { PAIRS = 1000, BUDGET = 1 << 22, MOST = 500 };

static double uniform(uint64_t *r)
{
	return (double)(random_next(r) >> 11) / 9007199254740992.0;
}

static double normal(uint64_t *r)
{
	return sqrt(-2 * log(1 - uniform(r))) * cos(2 * 3.14159265358979323846 * uniform(r));
}

typedef double shape_fn(uint64_t *r);

static double bell(uint64_t *r)
{
	return 1 + 0.05 * normal(r);
}

static double skewed(uint64_t *r)
{
	return exp(0.1 * normal(r));
}

/* Without a variance: a few steps are many times as long. */
static double heavy(uint64_t *r)
{
	return 1 + 0.05 * (pow(1 - uniform(r), -1 / 1.5) - 1);
}

static double two_peaks(uint64_t *r)
{
	return (uniform(r) < 0.5 ? 1 : 1.1) + 0.01 * normal(r);
}

static double round_numbers(uint64_t *r)
{
	return 1 + 0.02 * floor(4 * uniform(r));
}

static void draw(uint64_t *r, shape_fn *shape, double depends, double factor, size_t n,
		 int64_t *ret)
{
	double before = normal(r);

	for (size_t i = 0; i < n; i++) {
		double x;

		before = depends * before + sqrt(1 - depends * depends) * normal(r);
		x = shape ? shape(r) : 1 + 0.05 * before;
		ret[i] = (int64_t)(1e8 * factor * (x > 1e4 ? 1e4 : x));
	}
}

static enum wl_verdict judge(const int64_t *a, size_t n_a, const int64_t *b, size_t n_b)
{
	struct wl_arena arena;
	struct wl_sorted before, after;
	struct wl_judgement j = { .verdict = WL_INCONCLUSIVE };

	wl_arena_init(&arena, BUDGET);
	assert_true(wl_sorted_make(a, n_a, &arena, &before) &&
		    wl_sorted_make(b, n_b, &arena, &after) &&
		    wl_judge(before, after, 0.01, &arena, &j));
	wl_arena_release(&arena);
	return j.verdict;
}

/* How many of the pairs get a verdict. */
static size_t verdicts(shape_fn *shape, double depends, double factor, size_t n_a, size_t n_b,
		       size_t pairs)
{
	static int64_t a[MOST], b[MOST];
	uint64_t r = 1000 * n_a + n_b;
	size_t n = 0;

	for (size_t i = 0; i < pairs; i++) {
		enum wl_verdict v;

		draw(&r, shape, depends, 1, n_a, a);
		draw(&r, shape, depends, factor, n_b, b);
		v = judge(a, n_a, b, n_b);
		n += v == WL_SLOWER || v == WL_FASTER;
	}
	return n;
}

static void noise_alone_is_rarely_a_verdict(void **state)
{
	static shape_fn *const shapes[] = { bell, skewed, heavy, two_peaks, round_numbers };
	static const size_t sizes[][2] = { { 8, 8 }, { 8, 20 }, { 12, 12 }, { 45, 45 } };
	size_t all = 0, runs = 0;

	(void)state;
	for (size_t s = 0; s < WL_COUNT(shapes); s++) {
		for (size_t k = 0; k < WL_COUNT(sizes); k++) {
			size_t n = verdicts(shapes[s], 0, 1, sizes[k][0], sizes[k][1], PAIRS);

			print_message("shape %zu, %zu and %zu steps: %zu of %d\n", s, sizes[k][0],
				      sizes[k][1], n, PAIRS);
			assert_true(n <= PAIRS / 20);
			all += n;
			runs += PAIRS;
		}
	}
	print_message("together %zu of %zu\n", all, runs);
}

static void large_samples_are_no_worse(void **state)
{
	size_t n = verdicts(bell, 0, 1, MOST, MOST, 200);

	(void)state;
	assert_true(n <= 10);
}

static void dependent_steps_are_no_better_than_told(void **state)
{
	static const struct {
		double depends;
		size_t n, most; /* of 1,000 */
	} cases[] = { { 0.3, 20, 70 }, { 0.3, 45, 50 }, { 0.6, 45, 80 }, { 0.6, 100, 50 } };

	(void)state;
	for (size_t i = 0; i < WL_COUNT(cases); i++) {
		size_t n = verdicts(NULL, cases[i].depends, 1, cases[i].n, cases[i].n, PAIRS);

		print_message("depends %.1f, %zu steps: %zu of %d\n", cases[i].depends, cases[i].n,
			      n, PAIRS);
		assert_true(n <= cases[i].most);
	}
}

static void a_change_of_a_tenth_is_found(void **state)
{
	(void)state;
	assert_true(verdicts(bell, 0, 1.1, 45, 45, PAIRS) >= PAIRS * 99 / 100);
	assert_true(verdicts(bell, 0, 1.1, 20, 20, PAIRS) >= PAIRS * 90 / 100);
}

static void swapped_sides_give_the_mirror_image(void **state)
{
	static shape_fn *const shapes[] = { bell, skewed, heavy, two_peaks, round_numbers, NULL };
	static int64_t a[MOST], b[MOST];
	uint64_t r = 7;

	(void)state;
	for (size_t i = 0; i < 600; i++) {
		shape_fn *shape = shapes[i % WL_COUNT(shapes)];
		size_t n_a = 1 + random_next(&r) % 60, n_b = 1 + random_next(&r) % 60;
		struct wl_judgement there = { .verdict = WL_SAME }, back = there;
		struct wl_sorted x, y;
		struct wl_arena arena;

		draw(&r, shape, 0.7, 1, n_a, a);
		draw(&r, shape, 0.3, i % 2 ? 1 : 1.05, n_b, b);
		wl_arena_init(&arena, BUDGET);
		/* Each twentieth with itself: that interval is its own mirror image. */
		assert_true(wl_sorted_make(a, n_a, &arena, &x));
		assert_true(i % 20 ? wl_sorted_make(b, n_b, &arena, &y) : (y = x, true));
		assert_true(wl_judge(x, y, 0.01, &arena, &there));
		assert_true(wl_judge(y, x, 0.01, &arena, &back));
		assert_int_equal(there.change.low, -back.change.high);
		assert_int_equal(there.change.high, -back.change.low);
		assert_true(there.change.low <= there.change.high);
		wl_arena_release(&arena);
	}
}

TEST_MAIN(verdict)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(noise_alone_is_rarely_a_verdict),
		cmocka_unit_test(large_samples_are_no_worse),
		cmocka_unit_test(dependent_steps_are_no_better_than_told),
		cmocka_unit_test(a_change_of_a_tenth_is_found),
		cmocka_unit_test(swapped_sides_give_the_mirror_image),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
