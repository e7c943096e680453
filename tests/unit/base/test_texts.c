/* SPDX-License-Identifier: MIT */
#include "base/memory/texts.h"

#include "support/unit.h"

TEST(equal_texts_share_the_first_one)
{
	static const char *const text[] = { "b", "a", "", "b", "ab", "", "a", "b" };
	static const uint32_t want[] = { 0, 1, 2, 0, 4, 2, 1, 0 };
	WITH(struct wl_arena, arena, wl_arena_release, wl_arena_init(&arena, 1 << 16));
	const uint32_t *first;

	first = wl_texts_merge(text, WL_COUNT(text), &arena);
	assert_non_null(first);
	for (size_t i = 0; i < WL_COUNT(text); i++)
		assert_int_equal(first[i], want[i]);
}

TEST(none_and_no_memory)
{
	static const char *const text[] = { "x", "y" };
	struct wl_arena arena;

	wl_arena_init(&arena, 1 << 16);
	assert_non_null(wl_texts_merge(text, 0, &arena));
	wl_arena_release(&arena);
	wl_arena_init(&arena, 16);
	assert_null(wl_texts_merge(text, WL_COUNT(text), &arena));
	wl_arena_release(&arena);
}
