/* SPDX-License-Identifier: MIT */
#include "base/memory/budget.h"

#include <pthread.h>

#include "support/unit.h"

TEST(what_is_taken_counts_until_it_is_given_back)
{
	struct wl_budget budget = { .limit = 100 };

	assert_true(wl_budget_take(&budget, 60));
	assert_true(wl_budget_take(&budget, 40));
	assert_int_equal(budget.used, 100);
	wl_budget_give(&budget, 70);
	assert_int_equal(budget.used, 30);
	assert_int_equal(budget.peak, 100);
	assert_true(wl_budget_take(&budget, 70));
	wl_budget_give(&budget, 100);
	assert_int_equal(budget.used, 0);
}

TEST(beyond_the_limit_nothing_is_taken)
{
	struct wl_budget budget = { .limit = 100 };

	assert_false(wl_budget_take(&budget, 101));
	assert_int_equal(budget.peak, 0);
	assert_true(wl_budget_take(&budget, 99));
	assert_false(wl_budget_take(&budget, 2));
	assert_false(wl_budget_take(&budget, SIZE_MAX));
	assert_true(wl_budget_take(&budget, 0));
	assert_true(wl_budget_take(&budget, 1));
	assert_false(wl_budget_take(&budget, 1));
	assert_true(wl_budget_take(&budget, 0));
	assert_int_equal(budget.used, 100);
	assert_int_equal(budget.peak, 100);
}

TEST(a_budget_without_limit_is_still_counted)
{
	struct wl_budget budget = { 0 };

	assert_true(wl_budget_take(&budget, SIZE_MAX - 1));
	assert_false(wl_budget_take(&budget, 2));
	assert_int_equal(budget.used, SIZE_MAX - 1);
	wl_budget_give(&budget, SIZE_MAX - 1);
	assert_true(wl_budget_take(&budget, 5));
	assert_int_equal(budget.used, 5);
	assert_int_equal(budget.peak, SIZE_MAX - 1);
}

enum { N_THREADS = 4, ROUNDS = 20000, EACH = 30 };

struct taker {
	pthread_t thread;
	struct wl_budget *budget;
	size_t n_taken, n_over;
};

static void *take_and_give(void *arg)
{
	struct taker *t = arg;

	for (size_t i = 0; i < ROUNDS; i++) {
		size_t bytes = 1 + i % EACH;

		if (!wl_budget_take(t->budget, bytes))
			continue;
		t->n_taken++;
		t->n_over += t->budget->used > t->budget->limit;
		wl_budget_give(t->budget, bytes);
	}
	return NULL;
}

/* Fewer bytes than all want at once, more than one wants: some say no, each gets its turn. */
TEST(threads_together_keep_to_the_limit)
{
	struct wl_budget budget = { .limit = EACH };
	struct taker taker[N_THREADS];

	for (size_t i = 0; i < N_THREADS; i++) {
		taker[i] = (struct taker){ .budget = &budget };
		assert_int_equal(pthread_create(&taker[i].thread, NULL, take_and_give, &taker[i]),
				 0);
	}
	for (size_t i = 0; i < N_THREADS; i++) {
		assert_int_equal(pthread_join(taker[i].thread, NULL), 0);
		assert_true(taker[i].n_taken > 0);
		assert_int_equal(taker[i].n_over, 0);
	}
	assert_int_equal(budget.used, 0);
	assert_int_equal(budget.peak, EACH);
}
