/* SPDX-License-Identifier: MIT */
#include "base/text/shell.h"

#include <string.h>

#include "support/unit.h"

TEST(a_word_is_quoted_where_a_shell_would_change_it)
{
	WITH(struct wl_arena, arena, wl_arena_release, wl_arena_init(&arena, 1 << 16));
	static const char *const words[][2] = {
		{ "/tmp/run-1.sqlite", "/tmp/run-1.sqlite" },
		{ "iter:1..18", "iter:1..18" },
		{ "my run.sqlite", "'my run.sqlite'" },
		{ "it's", "'it'\\''s'" },
		{ "a$b", "'a$b'" },
		{ "", "''" },
		{ "d\xC3\xA9j\xC3\xA0", "'d\xC3\xA9j\xC3\xA0'" },
		{ "a\033[2J\n'b\\", "$'a\\033[2J\\012\\047b\\134'" },
		{ "\xff\xe2\x80\xae", "$'\\377\\342\\200\\256'" },
		{ "x##[y]", "$'x\\043#[y]'" },
	};

	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++)
		assert_string_equal(wl_shell_word(words[i][0], &arena), words[i][1]);
}

TEST(a_word_ends_at_a_space_outside_quotes)
{
	assert_int_equal(wl_shell_word_length("idle x"), 4);
	assert_int_equal(wl_shell_word_length("'cause = host' x"), 14);
	assert_int_equal(wl_shell_word_length("'it'\\''s b' x"), strlen("'it'\\''s b'"));
	assert_int_equal(wl_shell_word_length("'open to the end"), strlen("'open to the end"));
	assert_int_equal(wl_shell_word_length("a\\ b c"), 4);
	assert_int_equal(wl_shell_word_length("$'a\\047 b' c"), 10);
	assert_int_equal(wl_shell_word_length(""), 0);
	assert_int_equal(wl_shell_word_length("\\"), 1);
}

TEST(a_word_without_its_quotes_is_the_text)
{
	WITH(struct wl_arena, arena, wl_arena_release, wl_arena_init(&arena, 1 << 16));
	static const char *const texts[] = { "idle", "cause = host", "it's", "", "a'b'c", "\\ '" };

	for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
		const char *word = wl_shell_word(texts[i], &arena);

		assert_string_equal(wl_shell_plain(word, strlen(word), &arena), texts[i]);
	}
}
