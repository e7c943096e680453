/* SPDX-License-Identifier: MIT */
#include "base/memory/vec.h"

#include <string.h>

#include "base/num.h"
#include "support/unit.h"

/* Elements on the way from the heap to mappings and on: i in place i. */
static void fill(struct wl_vec *v, size_t n)
{
	for (uint32_t i = (uint32_t)v->n; i < n; i++)
		wl_vec_push(v, &i);
	assert_false(v->failed);
	assert_int_equal(v->n, n);
}

static void expect_filled(const struct wl_vec *v, size_t n)
{
	const uint32_t *data = v->data;

	assert_int_equal(v->n, n);
	for (size_t i = 0; i < n; i++) {
		if (data[i] != i)
			fail_msg("element %zu is %u", i, data[i]);
	}
}

TEST(an_empty_vector_holds_nothing)
{
	struct wl_budget budget = { 0 };
	struct wl_vec v;

	wl_vec_init(&v, 4, &budget);
	assert_int_equal(v.n, 0);
	wl_vec_trim(&v);
	assert_null(v.data);
	wl_vec_release(&v);
	wl_vec_release(&v);
	assert_int_equal(budget.peak, 0);
}

TEST(elements_survive_growth_across_the_mapping_limit)
{
	struct wl_budget budget = { 0 };
	struct wl_vec v;

	wl_vec_init(&v, sizeof(uint32_t), &budget);
	for (size_t n = 1; n <= 2000000; n = n * 3 + 1) {
		fill(&v, n);
		expect_filled(&v, n);
		assert_int_equal(budget.used, v.bytes);
		assert_true(v.cap * v.size <= v.bytes);
	}
	wl_vec_release(&v);
	assert_int_equal(budget.used, 0);
}

TEST(trimming_gives_back_all_but_the_elements)
{
	struct wl_budget budget = { 0 };
	WITH(struct wl_vec, v, wl_vec_release, wl_vec_init(&v, sizeof(uint32_t), &budget));

	for (size_t n = 2000000; n > 0; n /= 7) { /* mapped, mapped to heap, heap */
		fill(&v, n);
		assert_true(wl_vec_reserve(&v, 3 * n));
		wl_vec_trim(&v);
		expect_filled(&v, n);
		assert_in_range(budget.used, n * 4, n * 4 + (n * 4 >= 1 << 20 ? 4095 : 0));
		v.n = n / 7;
		wl_vec_trim(&v);
		expect_filled(&v, n / 7);
	}
	assert_int_equal(budget.used, 0);
}

TEST(growth_wastes_at_most_half)
{
	struct wl_budget budget = { 0 };
	WITH(struct wl_vec, v, wl_vec_release, wl_vec_init(&v, 8, &budget));

	for (size_t i = 0; i < 100000; i++) {
		wl_vec_push(&v, &(uint64_t){ i });
		assert_true(v.n <= 16 || budget.used <= v.n * 8 * 3 / 2);
	}
}

TEST(reserved_room_is_not_refused)
{
	struct wl_budget budget = { .limit = 400 };
	struct wl_vec v;

	wl_vec_init(&v, 4, &budget);
	assert_true(wl_vec_reserve(&v, 100));
	assert_int_equal(budget.used, 400);
	assert_non_null(wl_vec_extend(&v, 100));
	assert_null(wl_vec_extend(&v, 1));
	wl_vec_release(&v);
	assert_int_equal(budget.peak, 400);
}

TEST(the_last_bytes_of_a_budget_can_be_used)
{
	struct wl_budget budget = { .limit = 17 * sizeof(uint32_t) };
	struct wl_vec v;

	wl_vec_init(&v, sizeof(uint32_t), &budget);
	fill(&v, 17); /* half as much again would not fit, one more element does */
	expect_filled(&v, 17);
	wl_vec_push(&v, &(uint32_t){ 17 });
	assert_true(v.failed);
	expect_filled(&v, 17);
	wl_vec_release(&v);
	assert_int_equal(budget.used, 0);
}

TEST(a_failure_stays)
{
	struct wl_budget budget = { .limit = 64 };
	struct wl_vec v;

	wl_vec_init(&v, 4, &budget);
	assert_null(wl_vec_extend(&v, 17));
	assert_true(v.failed);
	assert_null(wl_vec_extend(&v, 1));
	assert_false(wl_vec_reserve(&v, 1));
	wl_vec_push(&v, &(uint32_t){ 1 });
	assert_int_equal(v.n, 0);
	wl_vec_release(&v);
	assert_int_equal(budget.used, 0);
}

TEST(sizes_that_overflow_are_refused)
{
	struct wl_budget budget = { 0 };
	struct wl_vec v, w;

	wl_vec_init(&v, 16, &budget);
	assert_null(wl_vec_extend(&v, SIZE_MAX / 8));
	wl_vec_init(&w, 1, &budget);
	assert_non_null(wl_vec_extend(&w, 1));
	assert_null(wl_vec_extend(&w, SIZE_MAX));
	assert_int_equal(w.n, 1);
	wl_vec_release(&v);
	wl_vec_release(&w);
	if (!WL_RED_ZONE) { /* AddressSanitizer ends a program that asks for so much */
		wl_vec_init(&w, 1, &budget);
		assert_null(wl_vec_extend(&w, SIZE_MAX - 1)); /* not even as whole pages */
		wl_vec_release(&w);
	}
	assert_int_equal(budget.used, 0);
}

TEST(vectors_share_a_budget)
{
	struct wl_budget budget = { .limit = 1000 };
	struct wl_vec a, b;

	wl_vec_init(&a, 1, &budget);
	wl_vec_init(&b, 1, &budget);
	assert_true(wl_vec_reserve(&a, 600));
	assert_null(wl_vec_extend(&b, 500));
	b.failed = false;
	wl_vec_release(&a);
	assert_non_null(wl_vec_extend(&b, 500));
	wl_vec_release(&b);
	assert_int_equal(budget.used, 0);
	assert_int_equal(budget.peak, 600);
}

/* Deal out of a vector to its twin: the numbers from the end to the front. */
static void expect_turned(size_t n, size_t slack)
{
	struct wl_budget budget = { 0 };
	struct wl_vec v, twin;
	size_t before;

	wl_vec_init(&v, sizeof(uint32_t), &budget);
	fill(&v, n);
	wl_vec_trim(&v);
	before = budget.used;
	assert_true(wl_vec_twin(&twin, &v, 1, 1 << 10));
	assert_int_equal(twin.n, n);
	assert_in_range(budget.used, before, before + slack);
	for (size_t i = 0; i < n; i++)
		((uint32_t *)twin.data)[n - 1 - i] = ((uint32_t *)v.data)[i];
	wl_vec_drop(&v, 0, n / 2);
	wl_vec_drop(&v, n / 2, n);
	wl_vec_replace(&v, &twin);
	wl_vec_release(&twin);
	assert_int_equal(budget.used, before);
	assert_int_equal(v.n, n);
	for (size_t i = 0; i < n; i++) {
		if (((uint32_t *)v.data)[i] != n - 1 - i)
			fail_msg("element %zu is wrong", i);
	}
	fill(&v, n + 1000); /* it can grow on */
	wl_vec_release(&v);
	assert_int_equal(budget.used, 0);
}

TEST(a_twin_takes_what_is_not_given_back)
{
	expect_turned(10, 40);
	if (WL_RED_ZONE)
		expect_turned(1000000, 4000000);
	else
		expect_turned(1000000, 8192); /* one page that grows, and what is held */
}

TEST(a_twin_that_does_not_fit_is_refused)
{
	static const size_t sizes[] = { 10, 1000000 };

	for (size_t i = 0; i < WL_COUNT(sizes); i++) {
		struct wl_budget budget = { 0 };
		struct wl_vec v, twin;
		size_t used;

		wl_vec_init(&v, sizeof(uint32_t), &budget);
		fill(&v, sizes[i]);
		used = budget.used;
		budget.limit = used + 39;
		assert_false(wl_vec_twin(&twin, &v, 1, 10));
		assert_int_equal(budget.used, used);
		budget.limit = 0;
		assert_true(wl_vec_twin(&twin, &v, SIZE_MAX, SIZE_MAX)); /* charged in full */
		assert_in_range(budget.used, used + 4 * sizes[i], 2 * used);
		wl_vec_release(&twin);
		assert_int_equal(budget.used, used);
		wl_vec_release(&v);
	}
}

TEST(checked_numbers_say_when_they_do_not_fit)
{
	size_t n = 0;
	int64_t i = 0;

	assert_true(wl_add(SIZE_MAX - 1, 1, &n));
	assert_int_equal(n, SIZE_MAX);
	assert_false(wl_add(SIZE_MAX, 1, &n));
	assert_true(wl_mul(SIZE_MAX / 2, 2, &n));
	assert_int_equal(n, SIZE_MAX - 1);
	assert_false(wl_mul(SIZE_MAX / 2 + 1, 2, &n));
	assert_true(wl_add_i64(INT64_MAX, INT64_MIN, &i));
	assert_int_equal(i, -1);
	assert_false(wl_add_i64(INT64_MAX, 1, &i));
	assert_false(wl_add_i64(INT64_MIN, -1, &i));
}
