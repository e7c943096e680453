/* SPDX-License-Identifier: MIT */
#include "base/memory/arena.h"

#include <stdalign.h>
#include <string.h>

#include "base/memory/vec.h"
#include "support/unit.h"

TEST(memory_is_zeroed_and_aligned)
{
	WITH(struct wl_arena, arena, wl_arena_release, wl_arena_init(&arena, 1 << 20));

	for (size_t size = 0; size < 100; size++) {
		unsigned char *p = wl_arena_calloc(&arena, 1, size);

		assert_non_null(p);
		assert_int_equal((uintptr_t)p % alignof(max_align_t), 0);
		for (size_t i = 0; i < size; i++)
			assert_int_equal(p[i], 0);
		memset(p, 0xff, size);
	}
}

TEST(an_arena_can_share_the_budget_of_vectors)
{
	struct wl_budget budget = { .limit = 1000 };
	struct wl_arena arena;
	struct wl_vec v;

	wl_vec_init(&v, 1, &budget);
	assert_true(wl_vec_reserve(&v, 600));
	wl_arena_init_on(&arena, &budget);
	assert_null(wl_arena_calloc(&arena, 1, 500));
	assert_non_null(wl_arena_calloc(&arena, 1, 400));
	assert_int_equal(budget.used, 1000);
	wl_arena_release(&arena);
	wl_vec_release(&v);
	assert_int_equal(budget.used, 0);
}

TEST(an_arena_on_no_budget_has_no_limit)
{
	struct wl_arena arena;

	wl_arena_init_on(&arena, NULL);
	assert_non_null(wl_arena_calloc(&arena, 1, (size_t)1 << 20));
	assert_int_equal(wl_arena_budget(&arena)->limit, 0);
	assert_int_equal(wl_arena_budget(&arena)->used, (size_t)1 << 20);
	wl_arena_release(&arena);
	assert_int_equal(wl_arena_budget(&arena)->used, 0);
}

TEST(more_than_a_block_fits)
{
	WITH(struct wl_arena, arena, wl_arena_release, wl_arena_init(&arena, (size_t)1 << 20));
	char *first, *second;

	first = wl_arena_strdup(&arena, "first");
	second = wl_arena_calloc(&arena, 1, (size_t)300 * 1024);
	assert_non_null(first);
	assert_non_null(second);
	memset(second, 'x', (size_t)300 * 1024);
	assert_string_equal(first, "first");
}

TEST(what_does_not_fit_is_null)
{
	struct wl_arena arena;

	wl_arena_init(&arena, SIZE_MAX);
	assert_null(wl_arena_calloc(&arena, SIZE_MAX, 2));
	assert_null(wl_arena_calloc(&arena, SIZE_MAX, 1));
	assert_null(wl_arena_calloc(&arena, SIZE_MAX - 15, 1));
	wl_arena_init(&arena, 64);
	assert_null(wl_arena_calloc(&arena, 65, 1));
	assert_non_null(wl_arena_calloc(&arena, 64, 1));
	assert_null(wl_arena_strdup(&arena, "x"));
	wl_arena_release(&arena);
	assert_non_null(wl_arena_strdup(&arena, "x"));
	wl_arena_release(&arena);
}

TEST(an_arena_of_nothing_has_room_for_nothing)
{
	struct wl_arena arena, child;

	wl_arena_init(&arena, 0);
	wl_arena_init_child(&child, &arena);
	assert_null(wl_arena_calloc(&arena, 1, 1));
	assert_null(wl_arena_calloc(&child, 1, 1));
	assert_non_null(wl_arena_calloc(&arena, 0, 8));
	assert_int_equal(wl_arena_budget(&arena)->peak, 0);
	wl_arena_release(&child);
	wl_arena_release(&arena);
}

TEST(a_zeroed_arena_can_be_released)
{
	struct wl_arena arena = { 0 };

	wl_arena_release(&arena);
	assert_int_equal(arena.used, 0);
}

TEST(children_take_from_one_budget_and_give_back)
{
	struct wl_arena root, child, grandchild;

	wl_arena_init(&root, 320);
	wl_arena_init_child(&child, &root);
	wl_arena_init_child(&grandchild, &child);
	assert_ptr_equal(wl_arena_budget(&grandchild), wl_arena_budget(&root));
	assert_non_null(wl_arena_calloc(&root, 100, 1)); /* 112 */
	assert_non_null(wl_arena_calloc(&child, 100, 1));
	assert_null(wl_arena_calloc(&child, 100, 1));
	assert_null(wl_arena_calloc(&grandchild, 100, 1));
	assert_non_null(wl_arena_calloc(&grandchild, 96, 1));
	assert_null(wl_arena_calloc(&root, 1, 1));
	assert_int_equal(root.used, 112);
	assert_int_equal(wl_arena_budget(&root)->used, 320);
	wl_arena_release(&child);
	assert_int_equal(wl_arena_budget(&root)->used, 208);
	assert_non_null(wl_arena_calloc(&child, 1, 1)); /* may be used again */
	wl_arena_release(&child);
	wl_arena_release(&grandchild);
	assert_int_equal(wl_arena_budget(&root)->used, root.used);
	assert_int_equal(wl_arena_budget(&root)->peak, 320);
	wl_arena_release(&root);
	assert_int_equal(wl_arena_budget(&root)->used, 0);
}

TEST(vectors_take_from_the_budget_of_an_arena)
{
	WITH(struct wl_arena, root, wl_arena_release, wl_arena_init(&root, 1000));
	struct wl_arena child;
	struct wl_vec v;

	wl_arena_init_child(&child, &root);
	wl_vec_init(&v, 1, wl_arena_budget(&child));
	assert_true(wl_vec_reserve(&v, 600));
	assert_null(wl_arena_calloc(&root, 401, 1));
	assert_non_null(wl_arena_calloc(&root, 400, 1));
	assert_null(wl_vec_extend(&v, 601));
	wl_vec_release(&v);
	assert_int_equal(wl_arena_budget(&root)->used, 400);
}

/* Memory that is asked for and cannot be had is not charged. */
TEST(what_the_system_refuses_is_given_back)
{
	WITH(struct wl_arena, arena, wl_arena_release, wl_arena_init(&arena, SIZE_MAX));

	assert_null(wl_arena_calloc(&arena, SIZE_MAX - 15, 1));
	assert_int_equal(wl_arena_budget(&arena)->used, 0);
	assert_non_null(wl_arena_calloc(&arena, 10, 1));
}

enum { N_STRINGS = 2000 };

/* Texts over several blocks, written before the arenas are joined and read after it. */
static void put_strings(struct wl_arena *arena, char tag, char **ret)
{
	for (size_t i = 0; i < N_STRINGS; i++) {
		char text[64];

		memset(text, tag, sizeof(text));
		text[i % sizeof(text)] = '\0';
		ret[i] = wl_arena_strdup(arena, text);
		assert_non_null(ret[i]);
	}
}

static void expect_strings(char tag, char *const *strings)
{
	for (size_t i = 0; i < N_STRINGS; i++) {
		assert_int_equal(strlen(strings[i]), i % 64);
		assert_int_equal(strspn(strings[i], (const char[]){ tag, '\0' }), i % 64);
	}
}

TEST(an_adopted_child_lives_with_the_parent)
{
	static char *own[N_STRINGS], *first[N_STRINGS], *second[N_STRINGS];
	struct wl_arena root, child;
	size_t used;

	wl_arena_init(&root, 1 << 20);
	wl_arena_init_child(&child, &root);
	wl_arena_adopt(&root, &child); /* nothing to nothing */
	assert_null(root.head);
	put_strings(&child, 'a', first);
	wl_arena_adopt(&root, &child); /* something to nothing */
	assert_null(child.head);
	assert_int_equal(child.used, 0);
	put_strings(&root, 'r', own);
	put_strings(&child, 'b', second);
	used = root.used + child.used;
	wl_arena_adopt(&root, &child);
	wl_arena_adopt(&root, &child); /* nothing to something */
	assert_int_equal(root.used, used);
	assert_int_equal(wl_arena_budget(&root)->used, used);
	wl_arena_release(&child);
	expect_strings('a', first);
	expect_strings('b', second);
	expect_strings('r', own);
	put_strings(&root, 's', own);
	expect_strings('a', first);
	expect_strings('b', second);
	wl_arena_release(&root);
	assert_int_equal(wl_arena_budget(&root)->used, 0);
}
