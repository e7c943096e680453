/* SPDX-License-Identifier: MIT */
#include "known/kernels/cuts.h"

#include <stdio.h>
#include <string.h>

#include "base/attr.h"
#include "base/text/utf8.h"
#include "support/unit.h"

enum { MAX = 64 };

static void cut(const char *const *name, size_t n, size_t width, const char **ret,
		struct wl_arena *arena)
{
	assert_true(wl_names_cut(name, n, &(struct wl_cut_opts){ .width = width }, arena, ret));
}

static void expect(const char *const *name, const char *const *want, size_t n, size_t width)
{
	WITH(struct wl_arena, arena, wl_arena_release, wl_arena_init(&arena, 1 << 20));
	const char *got[MAX];

	cut(name, n, width, got, &arena);
	for (size_t i = 0; i < n; i++)
		assert_string_equal(got[i], want[i]);
}

TEST(what_fits_is_left_alone)
{
	static const char *const name[] = { "abc", "abcd", "", "abc" };

	expect(name, name, WL_COUNT(name), 4);
}

/* The ellipsis stands for what both share, wherever that is. */
TEST(the_difference_stays)
{
	static const char *const name[] = { "[DALI][GPU0] executor thread",
					    "[DALI][GPU1] executor thread",
					    "[DALI][GPU2] executor thread" };
	static const char *const want[] = { "[DALI][GPU0…", "[DALI][GPU1…", "[DALI][GPU2…" };
	static const char *const end[] = { "a_very_long_beginning_of_a_name_1",
					   "a_very_long_beginning_of_a_name_2" };
	static const char *const want_end[] = { "a_very_l…1", "a_very_l…2" };

	expect(name, want, WL_COUNT(name), 12);
	expect(end, want_end, WL_COUNT(end), 10);
}

TEST(words_around_the_difference_come_before_the_beginning)
{
	static const char *const name[] = { "some/prefix/of/all/alpha128/and/a/common/end",
					    "some/prefix/of/all/alpha256/and/a/common/end" };
	static const char *const want[] = { "som…alpha128…", "som…alpha256…" };

	expect(name, want, WL_COUNT(name), 13);
}

/* The shorter one has nothing of its own: both of its ends are shown. */
TEST(a_name_that_ends_where_another_goes_on_is_told_apart)
{
	static const char *const name[] = { "abcdefgh.ijklmnop", "abcdefgh.ijklmnop.qrs" };
	static const char *const want[] = { "abcde…mnop", "abcdefg….…" };

	expect(name, want, WL_COUNT(name), 10);
}

TEST(names_that_differ_in_too_many_places_are_numbered)
{
	char text[64][24];
	const char *name[64], *got[64];
	struct wl_arena arena;

	for (unsigned i = 0; i < 64; i++) {
		(void)snprintf(text[i], sizeof(text[i]), "a%ub%uc%ud%ue%uf%u", i & 1, i >> 1 & 1,
			       i >> 2 & 1, i >> 3 & 1, i >> 4 & 1, i >> 5 & 1);
		name[i] = text[i];
	}
	wl_arena_init(&arena, 1 << 20);
	cut(name, 64, WL_CUT_MIN, got, &arena);
	assert_string_equal(got[0], "a0b0c…#1"); /* 8 columns: 5, the ellipsis, 2 */
	assert_string_equal(got[63], "a1b1…#64");
	wl_arena_release(&arena);
}

/* ---- Random names ---- */

static uint64_t next(uint64_t *seed)
{
	*seed ^= *seed << 13;
	*seed ^= *seed >> 7;
	*seed ^= *seed << 17;
	return *seed;
}

/* Few letters, so that names share much; now and then a wide character or an ellipsis. */
static void random_name(uint64_t *seed, char *buf, size_t size)
{
	static const char *const parts[] = { "a",      "b",      "::", "_",      "128",
					     "256",    "x",      "#1", "\u2026", "\u00e4",
					     "\u4e2d", "kernel", "<",  ">",      " " };
	size_t n = next(seed) % 16;

	*buf = '\0';
	for (size_t i = 0; i < n && strlen(buf) + 16 < size; i++)
		(void)strcat(buf, parts[next(seed) % WL_COUNT(parts)]);
}

TEST(different_names_never_look_alike)
{
	uint64_t seed = 88172645463325252U;

	for (int round = 0; round < 3000; round++) {
		char text[MAX][128];
		const char *name[MAX], *got[MAX];
		size_t n = next(&seed) % MAX, width = WL_CUT_MIN + next(&seed) % 20;
		struct wl_cut_opts opts = { width, next(&seed) & 1 };
		struct wl_arena arena;

		wl_arena_init(&arena, 1 << 20);
		for (size_t i = 0; i < n; i++) {
			random_name(&seed, text[i], sizeof(text[i]));
			name[i] = text[i];
		}
		assert_true(wl_names_cut(name, n, &opts, &arena, got));
		for (size_t i = 0; i < n; i++) {
			assert_true(wl_utf8_width(got[i]) <= width);
			for (size_t k = 0; k < i; k++)
				assert_int_equal(strcmp(name[i], name[k]) == 0,
						 strcmp(got[i], got[k]) == 0);
		}
		wl_arena_release(&arena);
	}
}

TEST(without_memory_it_fails)
{
	WITH(struct wl_arena, arena, wl_arena_release, wl_arena_init(&arena, 1));
	static const char *const name[] = { "a_long_name_of_a_thing", "a_long_name_of_another" };
	const char *got[2];

	assert_false(wl_names_cut(name, 2, &(struct wl_cut_opts){ .width = 8 }, &arena, got));
}
