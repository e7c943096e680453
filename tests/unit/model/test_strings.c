/* SPDX-License-Identifier: MIT */
#include "model/strings.h"

#include <stdio.h>
#include <string.h>

#include "support/unit.h"

static uint32_t put(struct wl_string_pool *pool, const char *text)
{
	return wl_string_put(pool, text, strlen(text));
}

TEST(equal_strings_have_one_number)
{
	struct wl_budget budget = { 0 };
	struct wl_string_pool pool;
	char text[32];

	wl_string_pool_init(&pool, &budget);
	for (int round = 0; round < 2; round++) {
		for (uint32_t i = 0; i < 5000; i++) {
			(void)snprintf(text, sizeof(text), "name %u", i);
			assert_int_equal(put(&pool, text), i);
		}
	}
	for (uint32_t i = 0; i < 5000; i++) {
		(void)snprintf(text, sizeof(text), "name %u", i);
		assert_string_equal(wl_string_get(&pool, i), text);
		assert_string_equal(wl_string_view(&pool).blob + wl_string_view(&pool).offset[i],
				    text);
	}
	assert_int_equal(wl_string_view(&pool).n, 5000);
	assert_int_equal(budget.used, pool.blob.bytes + pool.offsets.bytes + pool.slots.bytes);
	assert_int_equal(pool.n_repaired, 0);
	wl_string_pool_release(&pool);
	assert_int_equal(budget.used, 0);
}

TEST(beginnings_of_each_other_are_different)
{
	struct wl_budget budget = { 0 };
	struct wl_string_pool pool;

	wl_string_pool_init(&pool, &budget);
	assert_int_equal(put(&pool, ""), 0);
	assert_int_equal(put(&pool, "a"), 1);
	assert_int_equal(put(&pool, "ab"), 2);
	assert_int_equal(wl_string_put(&pool, "ab", 1), 1);
	assert_int_equal(wl_string_put(&pool, "ab", 0), 0);
	assert_string_equal(wl_string_get(&pool, 0), "");
	assert_string_equal(wl_string_get(&pool, 2), "ab");
	wl_string_pool_release(&pool);
}

/* Each is the beginning of all before it, so a slot taken by another must not look the same. */
TEST(collisions_do_not_confuse_lengths)
{
	enum { N = 1000 };
	struct wl_budget budget = { 0 };
	struct wl_string_pool pool;
	char text[N + 1];

	memset(text, 'a', sizeof(text));
	wl_string_pool_init(&pool, &budget);
	for (int round = 0; round < 2; round++) {
		for (uint32_t i = 0; i < N; i++)
			assert_int_equal(wl_string_put(&pool, text, N - i), i);
	}
	wl_string_pool_release(&pool);
}

TEST(text_that_was_seen_stays_where_it_is)
{
	enum { N = 500 };
	struct wl_budget budget = { 0 };
	struct wl_string_pool pool;
	const char *seen[N];
	char text[32];

	wl_string_pool_init(&pool, &budget);
	assert_int_equal(wl_string_view(&pool).n, 0); /* seen before there was any */
	for (uint32_t i = 0; i < N; i++) {
		struct wl_strings view;

		(void)snprintf(text, sizeof(text), "name %u", i);
		assert_int_equal(put(&pool, text), i);
		view = wl_string_view(&pool);
		seen[i] = view.blob + view.offset[i];
	}
	for (uint32_t i = 0; i < N; i++) {
		(void)snprintf(text, sizeof(text), "name %u", i);
		assert_string_equal(seen[i], text);
		assert_int_equal(put(&pool, text), i);
	}
	wl_string_pool_release(&pool);
	assert_int_equal(budget.used, 0);
}

TEST(invalid_text_is_repaired_and_counted_once_per_string)
{
	struct wl_budget budget = { 0 };
	struct wl_string_pool pool;
	uint32_t id;

	wl_string_pool_init(&pool, &budget);
	id = wl_string_put(&pool, "a\xff\0b", 4);
	assert_string_equal(wl_string_get(&pool, id), "a\xef\xbf\xbd\xef\xbf\xbd"
						      "b");
	assert_int_equal(wl_string_put(&pool, "a\xfe\0b", 4), id); /* the same after repair */
	assert_int_equal(pool.n_repaired, 1);
	assert_int_equal(put(&pool, "a\xef\xbf\xbd\xef\xbf\xbd"
				    "b"),
			 id);
	/* NUL is replaced, but nothing was malformed. */
	assert_int_equal(wl_string_put(&pool, "\0", 1), id + 1);
	assert_int_equal(pool.n_repaired, 1);
	wl_string_pool_release(&pool);
	assert_int_equal(budget.used, 0);
}

TEST(text_that_was_handed_out_stays)
{
	struct wl_budget budget = { 0 };
	struct wl_string_pool pool;
	const char *kept;
	char name[32];

	wl_string_pool_init(&pool, &budget);
	(void)put(&pool, "kept");
	for (int round = 0; round < 3; round++) {
		kept = wl_string_view(&pool).blob;
		for (int i = 0; i < 5000; i++) {
			(void)snprintf(name, sizeof(name), "name %d of %d", i, round);
			(void)put(&pool, name);
		}
		assert_string_equal(kept, "kept"); /* under AddressSanitizer: not freed */
		assert_int_equal(put(&pool, "kept"), 0);
	}
	assert_false(pool.failed);
	wl_string_pool_release(&pool);
	assert_int_equal(budget.used, 0);
}

/* Put short, long and broken strings until memory ends; returns how many went in. */
static uint32_t put_within(size_t limit, bool seen)
{
	struct wl_budget budget = { .limit = limit };
	struct wl_string_pool pool;
	char text[64];
	uint32_t n = 0, id;

	wl_string_pool_init(&pool, &budget);
	do {
		int len = snprintf(text, sizeof(text), "%u%.*s%s", n, (int)(n % 40),
				   "----------------------------------------", n % 3 ? "" : "\xff");

		id = wl_string_put(&pool, text, (size_t)len);
		assert_true(id == n || id == WL_NONE);
		if (seen && n % 10 == 0)
			(void)wl_string_view(&pool);
		n++;
	} while (id != WL_NONE && n < 1000);
	assert_int_equal(pool.failed, id == WL_NONE);
	if (pool.failed) {
		assert_int_equal(put(&pool, "0"), WL_NONE); /* and it stays so */
		n--;
	}
	assert_in_range(budget.used, 0, limit);
	wl_string_pool_release(&pool);
	assert_int_equal(budget.used, 0);
	return n;
}

TEST(every_byte_limit_is_kept)
{
	uint32_t last = 0;

	for (size_t limit = 1; limit < 20000; limit += 7) {
		uint32_t n = put_within(limit, limit % 2);

		assert_in_range(n, 0, 999);
		last = n > last ? n : last;
	}
	assert_in_range(last, 100, 999);
	assert_int_equal(put_within(1 << 20, false), 1000);
}
