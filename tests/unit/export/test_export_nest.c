/* SPDX-License-Identifier: MIT */
#include "export/timeline/nest.h"

#include "support/random.h"
#include "support/unit.h"

static struct wl_nest begin(bool flat, struct wl_budget *budget)
{
	struct wl_nest nest;

	wl_nest_init(&nest, flat, budget);
	return nest;
}

static void expect(struct wl_nest *nest, wl_ns start, wl_ns end, uint32_t row)
{
	assert_int_equal(wl_nest_put(nest, start, end), row);
}

TEST(what_nests_shares_a_row)
{
	struct wl_budget budget = { .limit = 0 };
	struct wl_nest nest = begin(false, &budget);

	expect(&nest, 0, 100, 0);
	expect(&nest, 0, 100, 0);
	expect(&nest, 10, 50, 0);
	expect(&nest, 10, 20, 0);
	expect(&nest, 20, 50, 0);
	expect(&nest, 50, 100, 0);
	expect(&nest, 100, 101, 0);
	wl_nest_release(&nest);
}

TEST(what_crosses_gets_a_row)
{
	struct wl_budget budget = { .limit = 0 };
	struct wl_nest nest = begin(false, &budget);

	expect(&nest, 0, 100, 0);
	expect(&nest, 50, 150, 1);
	expect(&nest, 60, 120, 1);
	expect(&nest, 60, 100, 0);
	expect(&nest, 70, 130, 2); /* across both */
	expect(&nest, 100, 140, 0);
	expect(&nest, 120, 150, 1);
	wl_nest_release(&nest);
}

TEST(flat_rows_hold_one_at_a_time)
{
	struct wl_budget budget = { .limit = 0 };
	struct wl_nest nest = begin(true, &budget);

	expect(&nest, 0, 100, 0);
	expect(&nest, 0, 50, 1);
	expect(&nest, 10, 20, 2);
	expect(&nest, 20, 30, 2);
	expect(&nest, 50, 60, 1);
	expect(&nest, 100, 110, 0);
	wl_nest_release(&nest);
}

TEST(no_length_occupies_nothing)
{
	struct wl_budget budget = { .limit = 0 };
	struct wl_nest nest = begin(false, &budget), flat = begin(true, &budget);

	expect(&nest, 5, 5, 0);
	expect(&nest, 10, 20, 0);
	expect(&nest, 10, 10, 0);
	expect(&nest, 15, 15, 0);
	expect(&nest, 15, 15, 0);
	expect(&nest, 16, 20, 0);
	expect(&nest, 20, 20, 0);
	expect(&flat, 10, 20, 0);
	expect(&flat, 10, 10, 1);
	expect(&flat, 10, 10, 1);
	expect(&flat, 20, 20, 0);
	expect(&flat, 20, 20, 0);
	wl_nest_release(&flat);
	wl_nest_release(&nest);
}

TEST(times_may_be_negative)
{
	struct wl_budget budget = { .limit = 0 };
	struct wl_nest nest = begin(false, &budget);

	expect(&nest, -WL_TIME_MAX, WL_TIME_MAX, 0);
	expect(&nest, -5, -1, 0);
	expect(&nest, -3, 1, 1);
	wl_nest_release(&nest);
}

/* The first row that is good, found by trying all. */
struct slow {
	wl_ns open[64][64];
	size_t n_open[64];
};

static uint32_t slow_put(struct slow *s, bool flat, wl_ns start, wl_ns end)
{
	for (uint32_t row = 0; row < 64; row++) {
		wl_ns *open = s->open[row];

		while (s->n_open[row] && open[s->n_open[row] - 1] <= start)
			s->n_open[row]--;
		if (s->n_open[row] && (flat || open[s->n_open[row] - 1] < end))
			continue;
		if (start < end)
			open[s->n_open[row]++] = end;
		return row;
	}
	fail();
	return 0;
}

TEST(the_first_row_that_fits_is_taken)
{
	uint64_t seed = 3;

	for (int round = 0; round < 400; round++) {
		bool flat = round % 2;
		struct wl_budget budget = { .limit = 0 };
		struct wl_nest nest = begin(flat, &budget);
		struct slow slow = { .n_open = { 0 } };
		wl_ns start = 0, end = INT64_MAX;

		for (int i = 0; i < 200; i++) {
			wl_ns most = 1 + (wl_ns)random_below(&seed, 40), length;

			if (random_below(&seed, 4) || end == start) {
				start += 1 + random_below(&seed, 6);
				end = INT64_MAX;
			}
			/* Of those that start together the longer first. */
			length = random_below(&seed, (uint32_t)most);
			end = end - start < length ? end : start + length;
			assert_int_equal(wl_nest_put(&nest, start, end),
					 slow_put(&slow, flat, start, end));
		}
		wl_nest_release(&nest);
	}
}

static const wl_ns many = 200000;

/* A staircase: each begins before all others end, and ends after them. */
TEST(many_rows_are_no_burden)
{
	struct wl_budget budget = { .limit = 0 };
	struct wl_nest nest;

	wl_nest_init(&nest, false, &budget);
	for (wl_ns i = 0; i < many; i++)
		expect(&nest, i, many + i, (uint32_t)i);
	for (wl_ns i = 0; i < many; i++)
		expect(&nest, many + i, 3 * many + i, (uint32_t)i);
	wl_nest_release(&nest);
	assert_int_equal(budget.used, 0);
}

TEST(what_has_ended_is_forgotten)
{
	struct wl_budget budget = { .limit = 0 };
	struct wl_nest nest;

	wl_nest_init(&nest, false, &budget);
	for (wl_ns i = 0; i < many; i++)
		expect(&nest, 2 * i, 2 * i + 3, (uint32_t)(i % 2));
	assert_true(budget.peak < 4096);
	wl_nest_release(&nest);
}

TEST(a_budget_is_honoured)
{
	for (size_t limit = 1; limit < 5000; limit += 50) {
		struct wl_budget budget = { .limit = limit };
		struct wl_nest nest;
		uint32_t last = 0;

		wl_nest_init(&nest, false, &budget);
		for (wl_ns i = 0; i < 300; i++) {
			uint32_t row = wl_nest_put(&nest, i, 300 + i);

			assert_true(row == (uint32_t)i || row == WL_NONE);
			assert_true(last != WL_NONE || row == WL_NONE);
			last = row;
		}
		assert_int_equal(last, WL_NONE);
		wl_nest_release(&nest);
		assert_int_equal(budget.used, 0);
	}
}
