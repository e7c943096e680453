/* SPDX-License-Identifier: MIT */
#include "base/text/clean.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "support/unit.h"

#define R "\xef\xbf\xbd" /* U+FFFD */

static void expect(void (*put)(FILE *, const char *), const char *text, const char *want)
{
	FREED char *got = NULL;
	size_t n;
	FILE *out = open_memstream(&got, &n);

	assert_non_null(out);
	put(out, text);
	assert_int_equal(fclose(out), 0);
	assert_string_equal(got, want);
}

TEST(nothing_that_acts_is_written)
{
	expect(wl_put_clean, "gemm<1>", "gemm<1>");
	expect(wl_put_clean, "a\033[2J\nb\t\x7f", "a" R "[2J" R "b" R R);
	expect(wl_put_clean, "\xc2\x9b\xe2\x80\xae\xe2\x81\xa6\xe2\x80\xa8.", R R R R ".");
	expect(wl_put_clean, "\xff", "\xef\xbf\xbd");
	expect(wl_put_clean, "", "");
}

TEST(a_copy_is_cut_between_characters)
{
	char out[8];

	wl_clean_copy(out, sizeof(out), "ab\033c", 4);
	assert_string_equal(out, "ab" R "c");
	wl_clean_copy(out, sizeof(out), "abcde\xc3\xa9", 7);
	assert_string_equal(out, "abcde\xc3\xa9");
	wl_clean_copy(out, sizeof(out), "abcdef\xc3\xa9", 8);
	assert_string_equal(out, "abcdef");
	wl_clean_copy(out, sizeof(out), "abc", 2);
	assert_string_equal(out, "ab");
	wl_clean_copy(out, sizeof(out), "::error::", 7);
	assert_string_equal(out, R ":err");
}

TEST(commands_to_a_log_lose_their_first_character)
{
	expect(wl_put_clean, "::error::x", R ":error::x");
	expect(wl_put_clean, "  ::Error::x", "  " R ":Error::x");
	expect(wl_put_clean, "at::native ::1", "at::native ::1");
	expect(wl_put_clean, "a ##[error]b##vso[c]", "a " R "#[error]b" R "#vso[c]");
}

/* The runner trims what Unicode calls white space. */
TEST(commands_behind_blanks_of_any_script_lose_it_too)
{
	static const char *const blanks[] = {
		"\xc2\xa0",     "\xe1\x9a\x80", "\xe2\x80\x80", "\xe2\x80\x83",
		"\xe2\x80\x8a", "\xe2\x80\xaf", "\xe2\x81\x9f", "\xe3\x80\x80",
		"\xe2\x80\x8b", "\xef\xbb\xbf", " \xc2\xa0 ",
	};

	for (size_t i = 0; i < WL_COUNT(blanks); i++) {
		char text[32], want[32];

		(void)snprintf(text, sizeof(text), "%s::error::x", blanks[i]);
		(void)snprintf(want, sizeof(want), "%s" R ":error::x", blanks[i]);
		expect(wl_put_clean, text, want);
		expect(wl_put_clean_lines, text, want);
		(void)snprintf(text, sizeof(text), "%s$ curl", blanks[i]);
		(void)snprintf(want, sizeof(want), "%s" R " curl", blanks[i]);
		expect(wl_put_clean_lines, text, want);
	}
	expect(wl_put_clean, "\xc2\x85::error::x", R R ":error::x");
	expect(wl_put_clean, "\xe2\x80\xa8::error::x", R R ":error::x");
	expect(wl_put_clean, "\t::error::x", R R ":error::x");
}

TEST(only_plans_have_lines_to_paste)
{
	expect(wl_put_clean_lines, "a\n$ curl\n  $ curl\n$HOME $5\n$",
	       "a\n" R " curl\n  " R " curl\n$HOME $5\n" R);
	expect(wl_put_clean_plan, "1. a:\n  $ nsys\n\xc2\xa0::error::x",
	       "1. a:\n  $ nsys\n\xc2\xa0" R ":error::x");
}

TEST(lines_stay_and_each_is_clean)
{
	expect(wl_put_clean_lines, "a\n::error::b\n\n c\033\n", "a\n" R ":error::b\n\n c" R "\n");
	expect(wl_put_clean_lines, "a\nb", "a\nb");
}

TEST(a_clean_text_is_not_copied)
{
	static const char clean[] = "gemm";
	struct wl_arena arena;

	wl_arena_init(&arena, 1 << 12);
	assert_ptr_equal(wl_clean_line(clean, &arena), clean);
	assert_string_equal(wl_clean_line("\xff\n::x", &arena), R R "::x");
	wl_arena_release(&arena);
	wl_arena_init(&arena, 0);
	assert_null(wl_clean_line("\n", &arena));
	wl_arena_release(&arena);
}
