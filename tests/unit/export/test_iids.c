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

TEST(numbers_go_by_first_use)
{
	struct wl_budget budget = { .limit = 0 };
	struct wl_iids iids = begin(&budget);

	for (size_t i = 0; i < N; i++) /* in an order that is not that of addresses */
		expect(&iids, WL_IID_NAME, i * 7 % N, i + 1, true);
	for (size_t i = 0; i < N; i++)
		expect(&iids, WL_IID_NAME, i * 7 % N, i + 1, false);
	wl_iids_release(&iids);
	assert_int_equal(budget.used, 0);
}

TEST(each_kind_counts_for_itself)
{
	struct wl_budget budget = { .limit = 0 };
	struct wl_iids iids = begin(&budget);

	expect(&iids, WL_IID_NAME, 0, 1, true);
	expect(&iids, WL_IID_NAME, 1, 2, true);
	expect(&iids, WL_IID_CATEGORY, 1, 1, true);
	expect(&iids, WL_IID_KEY, 1, 1, true);
	expect(&iids, WL_IID_VALUE, 1, 1, true);
	expect(&iids, WL_IID_CATEGORY, 1, 1, false);
	expect(&iids, WL_IID_NAME, 1, 2, false);
	wl_iids_release(&iids);
}

TEST(a_budget_that_is_spent_gives_0)
{
	struct wl_budget budget = { .limit = 4096 };
	struct wl_iids iids = begin(&budget);
	bool is_new;
	size_t n = 0;

	while (n < N && wl_iids_put(&iids, WL_IID_NAME, &texts[n], &is_new))
		n++;
	assert_true(n > 0 && n < N);
	for (size_t i = 0; i < n; i++) /* what was there stays */
		expect(&iids, WL_IID_NAME, i, i + 1, false);
	wl_iids_release(&iids);
	assert_int_equal(budget.used, 0);
}
