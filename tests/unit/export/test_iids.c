/* SPDX-License-Identifier: MIT */
#include "export/perfetto/iids.h"

#include "support/unit.h"

enum { N = 5000 };

static const char texts[N];

static struct wl_iids begin(struct wl_budget *budget)
{
	struct wl_hash_key key;
	struct wl_iids iids;

	wl_hash_key_init(&key);
	wl_iids_init(&iids, &key, budget);
	return iids;
}

static void expect(struct wl_iids *iids, enum wl_iid_kind kind, size_t text, uint64_t iid,
		   bool unseen)
{
	bool is_new;

	assert_int_equal(wl_iids_put(iids, kind, &texts[text], &is_new), iid);
	assert_int_equal(is_new, unseen);
}

static void numbers_go_by_first_use(void **state)
{
	struct wl_budget budget = { .limit = 0 };
	struct wl_iids iids = begin(&budget);

	(void)state;
	for (size_t i = 0; i < N; i++) /* in an order that is not that of addresses */
		expect(&iids, WL_IID_NAME, i * 7 % N, i + 1, true);
	for (size_t i = 0; i < N; i++)
		expect(&iids, WL_IID_NAME, i * 7 % N, i + 1, false);
	wl_iids_release(&iids);
	assert_int_equal(budget.used, 0);
}

static void each_kind_counts_for_itself(void **state)
{
	struct wl_budget budget = { .limit = 0 };
	struct wl_iids iids = begin(&budget);

	(void)state;
	expect(&iids, WL_IID_NAME, 0, 1, true);
	expect(&iids, WL_IID_NAME, 1, 2, true);
	expect(&iids, WL_IID_CATEGORY, 1, 1, true);
	expect(&iids, WL_IID_KEY, 1, 1, true);
	expect(&iids, WL_IID_VALUE, 1, 1, true);
	expect(&iids, WL_IID_CATEGORY, 1, 1, false);
	expect(&iids, WL_IID_NAME, 1, 2, false);
	wl_iids_release(&iids);
}

static void a_budget_that_is_spent_gives_0(void **state)
{
	struct wl_budget budget = { .limit = 4096 };
	struct wl_iids iids = begin(&budget);
	bool is_new;
	size_t n = 0;

	(void)state;
	while (n < N && wl_iids_put(&iids, WL_IID_NAME, &texts[n], &is_new))
		n++;
	assert_true(n > 0 && n < N);
	for (size_t i = 0; i < n; i++) /* what was there stays */
		expect(&iids, WL_IID_NAME, i, i + 1, false);
	wl_iids_release(&iids);
	assert_int_equal(budget.used, 0);
}

TEST_MAIN(iids)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(numbers_go_by_first_use),
		cmocka_unit_test(each_kind_counts_for_itself),
		cmocka_unit_test(a_budget_that_is_spent_gives_0),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
