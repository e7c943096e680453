/* SPDX-License-Identifier: MIT */
#include "base/clean.h"

#include <stdlib.h>
#include <string.h>

#include "support/unit.h"

static void expect(void (*put)(FILE *, const char *), const char *text, const char *want)
{
	char *got = NULL;
	size_t n;
	FILE *out = open_memstream(&got, &n);

	assert_non_null(out);
	put(out, text);
	assert_int_equal(fclose(out), 0);
	assert_string_equal(got, want);
	free(got);
}

static void nothing_that_acts_is_written(void **state)
{
	(void)state;
	expect(wl_put_clean, "gemm<1>", "gemm<1>");
	expect(wl_put_clean, "a\033[2J\nb\t\x7f", "a?[2J?b??");
	expect(wl_put_clean, "\xc2\x9b\xe2\x80\xae\xe2\x81\xa6\xe2\x80\xa8.", "????.");
	expect(wl_put_clean, "\xff", "\xef\xbf\xbd");
	expect(wl_put_clean, "", "");
}

static void commands_to_a_log_lose_their_first_character(void **state)
{
	(void)state;
	expect(wl_put_clean, "::error::x", "?:error::x");
	expect(wl_put_clean, "  ::Error::x", "  ?:Error::x");
	expect(wl_put_clean, "at::native ::1", "at::native ::1");
	expect(wl_put_clean, "a ##[error]b##vso[c]", "a ?#[error]b?#vso[c]");
}

static void lines_stay_and_each_is_clean(void **state)
{
	(void)state;
	expect(wl_put_clean_lines, "a\n::error::b\n\n c\033\n", "a\n?:error::b\n\n c?\n");
	expect(wl_put_clean_lines, "a\nb", "a\nb");
}

static void a_clean_text_is_not_copied(void **state)
{
	static const char clean[] = "gemm";
	struct wl_arena arena;

	(void)state;
	wl_arena_init(&arena, 1 << 12);
	assert_ptr_equal(wl_clean_line(clean, &arena), clean);
	assert_string_equal(wl_clean_line("\xff\n::x", &arena), "\xef\xbf\xbd?::x");
	wl_arena_release(&arena);
	wl_arena_init(&arena, 0);
	assert_null(wl_clean_line("\n", &arena));
	wl_arena_release(&arena);
}

TEST_MAIN(clean)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(nothing_that_acts_is_written),
		cmocka_unit_test(commands_to_a_log_lose_their_first_character),
		cmocka_unit_test(lines_stay_and_each_is_clean),
		cmocka_unit_test(a_clean_text_is_not_copied),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
