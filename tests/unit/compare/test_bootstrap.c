/* SPDX-License-Identifier: MIT */
#include "compare/stats/bootstrap.h"

#include "support/unit.h"

static struct wl_range_of_change interval(struct wl_sorted a, struct wl_sorted b)
{
	struct wl_arena arena;
	struct wl_range_of_change r;

	wl_arena_init(&arena, 1 << 20);
	assert_true(wl_bootstrap(a, b, &arena, &r));
	wl_arena_release(&arena);
	return r;
}

TEST(the_median_is_one_of_the_values)
{
	const int64_t v[] = { 1, 2, 30, 40 };

	assert_int_equal(wl_sorted_median((struct wl_sorted){ v, 4, 4 }), 2);
	assert_int_equal(wl_sorted_median((struct wl_sorted){ v, 3, 3 }), 2);
	assert_int_equal(wl_sorted_median((struct wl_sorted){ v, 1, 1 }), 1);
}

TEST(values_without_noise_have_no_width)
{
	const int64_t a[] = { 10, 10, 10, 10, 10, 10, 10, 10 };
	const int64_t b[] = { 13, 13, 13, 13, 13, 13, 13, 13, 13 };
	struct wl_range_of_change r =
		interval((struct wl_sorted){ a, 8, 8 }, (struct wl_sorted){ b, 9, 9 });

	assert_int_equal(r.low, 3);
	assert_int_equal(r.high, 3);
	r = interval((struct wl_sorted){ .n = 0 }, (struct wl_sorted){ b, 9, 9 });
	assert_int_equal(r.low, 13);
	assert_int_equal(r.high, 13);
}

TEST(intervals_repeat_and_hold_the_change)
{
	int64_t a[50], b[50];
	struct wl_range_of_change r, again;

	for (int i = 0; i < 50; i++) {
		a[i] = 1000 + i;
		b[i] = 1100 + 2 * i;
	}
	r = interval((struct wl_sorted){ a, 50, 50 }, (struct wl_sorted){ b, 50, 50 });
	again = interval((struct wl_sorted){ a, 50, 50 }, (struct wl_sorted){ b, 50, 50 });
	assert_int_equal(r.low, again.low);
	assert_int_equal(r.high, again.high);
	assert_true(r.low < 124 && r.high > 124);
	assert_true(r.low > 80 && r.high < 170);
}

TEST(fewer_draws_make_it_wider)
{
	int64_t a[50];
	struct wl_range_of_change all, few;

	for (int i = 0; i < 50; i++)
		a[i] = 1000 + i;
	all = interval((struct wl_sorted){ a, 50, 50 }, (struct wl_sorted){ a, 50, 50 });
	few = interval((struct wl_sorted){ a, 50, 5 }, (struct wl_sorted){ a, 50, 5 });
	assert_true(few.high - few.low > 2 * (all.high - all.low));
}

/* Of two draws the lower one would be taken: three quarters of them lie at or below the median. */
TEST(an_even_number_of_draws_is_not_too_low)
{
	int64_t a[51];
	struct wl_range_of_change two, many;

	for (int i = 0; i < 51; i++)
		a[i] = 1000 + i;
	two = interval((struct wl_sorted){ .n = 0 }, (struct wl_sorted){ a, 51, 2 });
	many = interval((struct wl_sorted){ .n = 0 }, (struct wl_sorted){ a, 51, 51 });
	/* 95% of the means of two are within 0.776 of half of the width: 25 * 0.776 = 19.4. */
	assert_in_range(two.low, 1025 - 22, 1025 - 17);
	assert_in_range(two.high, 1025 + 17, 1025 + 22);
	assert_true(many.low > two.low && many.high < two.high);
}

TEST(without_memory_there_is_none)
{
	WITH(struct wl_arena, arena, wl_arena_release, wl_arena_init(&arena, 100));
	const int64_t v[] = { 1, 2, 3 };
	const struct wl_sorted s = { v, 3, 3 };
	struct wl_range_of_change r;

	assert_false(wl_bootstrap(s, s, &arena, &r));
}
