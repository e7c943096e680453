/* SPDX-License-Identifier: MIT */
#include "base/memory/intern.h"

#include <string.h>

#include "support/random.h"
#include "support/unit.h"

struct pair {
	uint32_t a, b;
};

TEST(numbers_are_dense_and_in_order_of_first_sight)
{
	struct wl_budget budget = { 0 };
	struct wl_intern in;
	uint64_t seed = 1;
	uint32_t first[1000]; /* number of each value; WL_NONE before it is seen */
	uint32_t seen = 0;

	memset(first, 0xff, sizeof(first));
	wl_intern_init(&in, sizeof(uint64_t), &budget);
	for (int i = 0; i < 20000; i++) {
		uint32_t value = random_below(&seed, 1000);
		uint64_t tuple = (uint64_t)value << 40;

		if (first[value] == WL_NONE) {
			assert_int_equal(wl_intern_find(&in, &tuple), WL_NONE);
			first[value] = seen++;
		}
		assert_int_equal(wl_intern_put(&in, &tuple), first[value]);
		assert_int_equal(wl_intern_find(&in, &tuple), first[value]);
	}
	assert_int_equal(in.items.n, seen);
	for (size_t v = 0; v < 1000; v++) {
		if (first[v] != WL_NONE)
			assert_int_equal(((uint64_t *)in.items.data)[first[v]], (uint64_t)v << 40);
	}
	wl_intern_release(&in);
	assert_int_equal(budget.used, 0);
}

TEST(every_byte_of_a_tuple_counts)
{
	struct wl_budget budget = { 0 };
	unsigned char tuple[20] = { 0 };
	struct wl_intern in;

	wl_intern_init(&in, sizeof(tuple), &budget);
	assert_int_equal(wl_intern_put(&in, tuple), 0);
	for (uint32_t i = 0; i < sizeof(tuple); i++) {
		tuple[i] = 1;
		assert_int_equal(wl_intern_put(&in, tuple), i + 1);
		assert_int_equal(wl_intern_put(&in, tuple), i + 1);
		tuple[i] = 0;
	}
	assert_int_equal(wl_intern_put(&in, tuple), 0);
	wl_intern_release(&in);
}

TEST(an_empty_table_finds_nothing)
{
	struct wl_budget budget = { 0 };
	struct wl_intern in;

	wl_intern_init(&in, sizeof(struct pair), &budget);
	assert_int_equal(wl_intern_find(&in, &(struct pair){ 0, 0 }), WL_NONE);
	wl_intern_release(&in);
}

/* Put pairs until memory ends; what was put stays, and what is known is still found. */
static void expect_end_at(size_t limit)
{
	struct wl_budget budget = { .limit = limit };
	struct wl_intern in;
	uint32_t n = 0;

	wl_intern_init(&in, sizeof(struct pair), &budget);
	while (n < 1000 && wl_intern_put(&in, &(struct pair){ n, ~n }) == n)
		n++;
	assert_in_range(n, 0, 999);
	assert_int_equal(wl_intern_put(&in, &(struct pair){ n, ~n }), WL_NONE);
	assert_int_equal(in.items.n, n);
	for (uint32_t i = 0; i < n; i++)
		assert_int_equal(wl_intern_find(&in, &(struct pair){ i, ~i }), i);
	assert_int_equal(wl_intern_find(&in, &(struct pair){ n, ~n }), WL_NONE);
	wl_intern_release(&in);
	assert_int_equal(budget.used, 0);
}

TEST(without_memory_known_tuples_are_still_found)
{
	for (size_t limit = 1; limit < 4096; limit += 4)
		expect_end_at(limit);
}

TEST(hashes_spread_small_changes)
{
	enum { N = 4096 };
	static unsigned char hit[N];
	struct wl_hash_key key;
	size_t empty = 0;

	wl_hash_key_init(&key);
	for (uint64_t i = 0; i < N; i++)
		hit[wl_hash(&key, &(uint64_t){ i << 20 }, sizeof(uint64_t)) % N] = 1;
	for (size_t i = 0; i < N; i++)
		empty += !hit[i];
	assert_in_range(empty, 0, N / 2); /* about 1/e of the slots, if it were random */
	assert_true(wl_hash(&key, "a", 1) != wl_hash(&key, "a\0", 2)); /* the length counts */
}

TEST(keys_of_hashes_are_random)
{
	struct wl_hash_key one, two;

	wl_hash_key_init(&one);
	wl_hash_key_init(&two);
	assert_true(wl_hash(&one, "name", 4) != wl_hash(&two, "name", 4));
}
