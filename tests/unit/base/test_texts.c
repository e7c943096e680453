/* SPDX-License-Identifier: MIT */
#include "base/memory/texts.h"

#include "support/unit.h"

static void equal_texts_share_the_first_one(void **state)
{
	static const char *const text[] = { "b", "a", "", "b", "ab", "", "a", "b" };
	static const uint32_t want[] = { 0, 1, 2, 0, 4, 2, 1, 0 };
	struct wl_arena arena;
	const uint32_t *first;

	(void)state;
	wl_arena_init(&arena, 1 << 16);
	first = wl_texts_merge(text, WL_COUNT(text), &arena);
	assert_non_null(first);
	for (size_t i = 0; i < WL_COUNT(text); i++)
		assert_int_equal(first[i], want[i]);
	wl_arena_release(&arena);
}

static void none_and_no_memory(void **state)
{
	static const char *const text[] = { "x", "y" };
	struct wl_arena arena;

	(void)state;
	wl_arena_init(&arena, 1 << 16);
	assert_non_null(wl_texts_merge(text, 0, &arena));
	wl_arena_release(&arena);
	wl_arena_init(&arena, 16);
	assert_null(wl_texts_merge(text, WL_COUNT(text), &arena));
	wl_arena_release(&arena);
}

TEST_MAIN(texts)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(equal_texts_share_the_first_one),
		cmocka_unit_test(none_and_no_memory),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
