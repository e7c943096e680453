/* SPDX-License-Identifier: MIT */
#include "compare/diff/verdict.h"

#include "support/unit.h"

enum { BUDGET = 1 << 20, N = 20 };

static struct wl_judgement judge(const int64_t *a, size_t n_a, const int64_t *b, size_t n_b,
				 double threshold)
{
	struct wl_arena arena;
	struct wl_judgement j;

	wl_arena_init(&arena, BUDGET);
	assert_true(wl_judge((struct wl_sorted){ a, n_a, n_a }, (struct wl_sorted){ b, n_b, n_b },
			     threshold, &arena, &j));
	wl_arena_release(&arena);
	return j;
}

/* N values around a middle, as far from each other as width says. */
static void spread(int64_t *v, int64_t middle, int64_t width)
{
	for (int i = 0; i < N; i++)
		v[i] = middle + width * (i - N / 2);
}

TEST(a_clear_change_has_a_direction)
{
	int64_t a[N], b[N];
	struct wl_judgement j;

	spread(a, 100000, 10);
	spread(b, 105000, 10);
	j = judge(a, N, b, N, 0.01);
	assert_int_equal(j.verdict, WL_SLOWER);
	assert_int_equal(j.after - j.before, 5000);
	assert_true(j.change.low > 0 && j.change.low <= 5000 && j.change.high >= 5000);
	assert_int_equal(judge(b, N, a, N, 0.01).verdict, WL_FASTER);
}

TEST(less_than_the_threshold_is_the_same)
{
	int64_t a[N], b[N];

	spread(a, 100000, 10);
	spread(b, 100500, 10);
	assert_int_equal(judge(a, N, b, N, 0.01).verdict, WL_SAME);
	assert_int_equal(judge(a, N, b, N, 0.001).verdict, WL_SLOWER);
}

TEST(noise_that_could_hide_a_change_is_inconclusive)
{
	int64_t a[N], b[N];

	spread(a, 100000, 1000);
	spread(b, 100500, 1000);
	assert_int_equal(judge(a, N, b, N, 0.01).verdict, WL_INCONCLUSIVE);
}

TEST(equal_samples_are_the_same_however_noisy)
{
	int64_t a[N];
	struct wl_judgement j;

	spread(a, 100000, 4000);
	j = judge(a, N, a, N, 0.01);
	assert_true(j.is_equal);
	assert_int_equal(j.verdict, WL_SAME);
}

TEST(few_steps_decide_nothing)
{
	int64_t a[N], b[N];

	spread(a, 100000, 0);
	spread(b, 200000, 0);
	assert_int_equal(judge(a, 7, b, N, 0.01).verdict, WL_INCONCLUSIVE);
	assert_int_equal(judge(a, N, b, 7, 0.01).verdict, WL_INCONCLUSIVE);
	assert_int_equal(judge(a, 8, b, 8, 0.01).verdict, WL_SLOWER);
	assert_false(judge(a, 0, b, N, 0.01).is_known);
	assert_int_equal(judge(a, 0, b, N, 0.01).verdict, WL_INCONCLUSIVE);
}

TEST(a_step_of_no_length_is_no_division)
{
	int64_t a[N], b[N];

	spread(a, 0, 0);
	spread(b, 5, 0);
	assert_int_equal(judge(a, N, a, N, 0.01).verdict, WL_SAME);
	assert_int_equal(judge(a, N, b, N, 0.01).verdict, WL_SLOWER);
}
