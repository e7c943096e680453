/* SPDX-License-Identifier: MIT */
#include "base/stop.h"

#include "base/clock.h"
#include "base/process/pool.h"
#include "support/unit.h"

TEST(nothing_stops_a_zeroed_one)
{
	const struct wl_stop stop = { .flag = NULL };

	assert_false(wl_stop_is_due(&stop));
	assert_false(wl_stop_is_due(NULL));
}

TEST(a_flag_a_time_and_another_stop)
{
	atomic_int flag = 0;
	const struct wl_stop by_flag = { .flag = &flag };
	const struct wl_stop past = { .deadline = 1 };
	const struct wl_stop later = { .deadline = wl_clock_wall_ns() + INT64_C(3600000000000) };
	const struct wl_stop both = { .deadline = later.deadline, .also = &by_flag };
	struct wl_err err;

	assert_true(wl_stop_is_due(&past));
	assert_int_equal(wl_stop_fail(&past, "kernels", &err), WL_E_TIMEOUT);
	assert_string_equal(err.msg, "kernels: the time limit is over");
	assert_false(wl_stop_is_due(&later));
	assert_false(wl_stop_is_due(&both));
	flag = 2;
	assert_true(wl_stop_is_due(&both));
	assert_int_equal(wl_stop_fail(&both, "kernels", &err), WL_E_CANCELED);
	assert_string_equal(err.msg, "kernels: stopped");
}

/* What one question may not take any more, another one of the same bytes may. */
TEST(questions_share_bytes_and_end_alone)
{
	enum { BYTES = 1 << 17 };
	atomic_int flag = 0;
	const struct wl_stop stop = { .flag = &flag };
	struct wl_budget all = { .limit = 3 * BYTES };
	struct wl_budget one = { .of = &all, .stop = &stop }, other = { .of = &all };

	assert_true(wl_budget_take(&one, BYTES));
	assert_true(wl_budget_take(&other, BYTES));
	assert_int_equal(all.used, 2 * BYTES);
	assert_false(wl_budget_take(&other, 2 * BYTES));
	flag = 1;
	assert_true(wl_budget_is_stopped(&one));
	assert_false(wl_budget_is_stopped(&other));
	assert_false(wl_budget_take(&one, BYTES));
	assert_true(wl_budget_take(&other, BYTES));
	wl_budget_give(&one, BYTES);
	wl_budget_give(&other, 2 * BYTES);
	assert_int_equal(all.used, 0);
}

enum { N_TASKS = 100, LAST = 10 };

struct counted {
	atomic_int flag, n;
};

static bool count(void *ctx, size_t i, struct wl_arena *arena)
{
	struct counted *c = ctx;

	(void)i;
	(void)arena;
	if (++c->n == LAST)
		c->flag = 1;
	return true;
}

TEST(a_pool_begins_no_further_tasks)
{
	for (unsigned threads = 1; threads <= 3; threads++) {
		struct counted c = { .flag = 0 };
		const struct wl_stop stop = { .flag = &c.flag };
		struct wl_budget budget = { .stop = &stop };
		struct wl_pool *pool = wl_pool_new(threads);
		struct wl_arena arena;

		wl_arena_init_on(&arena, &budget);
		assert_false(wl_pool_map(pool, N_TASKS, count, &c, &arena));
		assert_in_range(c.n, LAST, LAST + threads - 1);
		wl_arena_release(&arena);
		wl_pool_free(pool);
	}
}
