/* SPDX-License-Identifier: MIT */
/* bound.h and compare.h, against a count of all elements. */
#include "base/memory/bound.h"
#include "base/memory/compare.h"

#include <stdlib.h>

#include "support/random.h"
#include "support/unit.h"

enum { N = 40, RANGE = 12 };

struct item {
	char other;
	int64_t key;
};

WL_COMPARE_BY(by_key, item, key)
WL_LESS_BY(key_less, item, key)
WL_LESS(number_less, uint32_t)

/* Items in order, with ties. */
static void draw(struct item *at, size_t n, uint64_t *seed)
{
	for (size_t i = 0; i < n; i++)
		at[i] = (struct item){ .key = (int64_t)random_below(seed, RANGE) - RANGE / 2 };
	qsort(at, n, sizeof(*at), by_key);
}

TEST(bounds_are_counts)
{
	uint64_t seed = 1;

	for (size_t n = 0; n < N; n++) {
		struct item at[N];
		uint64_t number[N];
		uint32_t small[N];

		draw(at, n, &seed);
		for (size_t i = 0; i < n; i++) {
			number[i] = (uint64_t)(at[i].key + RANGE);
			small[i] = (uint32_t)number[i];
		}
		for (int64_t v = -RANGE; v <= RANGE; v++) {
			size_t below = 0, upto = 0;

			for (size_t i = 0; i < n; i++) {
				below += at[i].key < v;
				upto += at[i].key <= v;
			}
			assert_int_equal(WL_BELOW_BY(item, key, at, n, v), below);
			assert_int_equal(WL_UPTO_BY(item, key, at, n, v), upto);
			assert_int_equal(WL_BELOW(number, n, (uint64_t)(v + RANGE)), below);
			assert_int_equal(WL_UPTO(small, n, (uint64_t)(v + RANGE)), upto);
		}
	}
	assert_int_equal(WL_BELOW((const int64_t *)NULL, 0, 5), 0);
}

TEST(a_bound_may_be_larger_than_any_element)
{
	const uint32_t at[] = { 1, UINT32_MAX };

	assert_int_equal(WL_BELOW(at, 2, (uint64_t)UINT32_MAX + 1), 2);
	assert_int_equal(WL_BELOW(at, 2, UINT32_MAX), 1);
}

TEST(numbers_and_members_are_compared)
{
	const struct item at[] = { { .key = INT64_MIN }, { .key = INT64_MAX } };
	const uint32_t number[] = { 3, 3, UINT32_MAX };

	assert_true(by_key(&at[0], &at[1]) < 0 && by_key(&at[1], &at[0]) > 0);
	assert_int_equal(by_key(&at[0], &at[0]), 0);
	assert_true(key_less(at, 0, 1) && !key_less(at, 1, 0) && !key_less(at, 0, 0));
	assert_true(number_less(number, 0, 2) && !number_less(number, 0, 1));
}
