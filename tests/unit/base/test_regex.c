/* SPDX-License-Identifier: MIT */
#include "base/text/regex.h"

#include <stdlib.h>
#include <string.h>

#include "support/unit.h"

static int match(const char *pattern, uint32_t flags, const char *s)
{
	struct wl_regex *re = NULL;
	struct wl_err err = { .code = WL_OK };
	int r;

	if (wl_regex_new(pattern, flags, &re, &err) < 0)
		fail_msg("%s", err.msg);
	r = wl_regex_match(re, s, strlen(s));
	wl_regex_free(re);
	return r;
}

TEST(a_pattern_is_searched_anywhere)
{
	assert_int_equal(match("gemm", WL_REGEX_PLAIN, "sm80_gemm_f16"), 1);
	assert_int_equal(match("^gemm", WL_REGEX_PLAIN, "sm80_gemm_f16"), 0);
	assert_int_equal(match("GEMM", WL_REGEX_PLAIN, "gemm"), 0);
	assert_int_equal(match("GEMM", WL_REGEX_CASELESS, "gemm"), 1);
	assert_int_equal(match("", WL_REGEX_PLAIN, ""), 1);
	assert_int_equal(match("^.$", WL_REGEX_PLAIN, "\u4f60"), 1);
	assert_int_equal(match("\u00c9", WL_REGEX_CASELESS, "\u00e9"), 1);
	assert_int_equal(match("(a)(b)(c)", WL_REGEX_PLAIN, "abc"), 1);
}

TEST(a_malformed_pattern_names_the_position)
{
	static const char *const bad[] = { "(a", "a)", "[z", "*", "a{2,1}", "\\C", "(?<n", "\xff" };
	struct wl_regex *re = NULL;
	struct wl_err err;

	for (size_t i = 0; i < WL_COUNT(bad); i++) {
		err = (struct wl_err){ .code = WL_OK };
		assert_int_equal(wl_regex_new(bad[i], 0, &re, &err), WL_E_USAGE);
		assert_int_equal(err.code, WL_E_USAGE);
		assert_non_null(strstr(err.msg, "position"));
		assert_null(re);
	}
	assert_int_equal(wl_regex_new("ab(c", 0, &re, &err), WL_E_USAGE);
	assert_non_null(strstr(err.msg, "position 4"));
}

TEST(a_find_tells_where)
{
	static const char s[] = "layer1_stage5_b_layer2_stage1_b";
	struct wl_regex_span whole, group;
	struct wl_regex *re = NULL;
	struct wl_err err;

	if (wl_regex_new("stage(\\d)_[fb]", 0, &re, &err) < 0)
		fail_msg("%s", err.msg);
	assert_int_equal(wl_regex_find(re, s, strlen(s), 0, &whole, &group), 1);
	assert_int_equal(whole.begin, 7);
	assert_int_equal(whole.end, 15);
	assert_int_equal(group.begin, 12);
	assert_int_equal(group.end, 13);
	assert_int_equal(wl_regex_find(re, s, strlen(s), whole.end, &whole, &group), 1);
	assert_int_equal(whole.begin, 23);
	assert_int_equal(wl_regex_find(re, s, strlen(s), whole.end, &whole, &group), 0);
	wl_regex_free(re);
	re = NULL;
	if (wl_regex_new("a|(b)", 0, &re, &err) < 0)
		fail_msg("%s", err.msg);
	assert_int_equal(wl_regex_find(re, "xa", 2, 0, &whole, &group), 1);
	assert_int_equal(whole.begin, 1);
	assert_int_equal(group.begin, group.end);
	wl_regex_free(re);
}

TEST(an_endless_pattern_is_refused)
{
	char *pattern = malloc(WL_REGEX_MAX + 2);
	struct wl_regex *re = NULL;
	struct wl_err err;

	assert_non_null(pattern);
	memset(pattern, 'a', WL_REGEX_MAX + 1);
	pattern[WL_REGEX_MAX + 1] = '\0';
	assert_int_equal(wl_regex_new(pattern, 0, &re, &err), WL_E_USAGE);
	free(pattern);
	assert_int_equal(wl_regex_new("((((a{1,999}){1,999}){1,999}){1,999})", 0, &re, &err),
			 WL_E_USAGE);
}

TEST(a_pattern_that_explodes_is_stopped)
{
	char subject[64];

	memset(subject, 'a', sizeof(subject));
	subject[sizeof(subject) - 1] = '\0';
	assert_int_equal(match("(a+)+$b", WL_REGEX_PLAIN, subject), 0); /* seen through */
	assert_true(match("^(a|aa|aaa)+[^a]x?$", WL_REGEX_PLAIN, subject) <= 0);
	assert_int_equal(match("^(?:(a+)+)+\\W$", WL_REGEX_PLAIN, subject), WL_E_TIMEOUT);
	assert_int_equal(match("(*NO_JIT)^(?:(a+)+)+\\W$", WL_REGEX_PLAIN, subject), WL_E_TIMEOUT);
	assert_int_equal(match("^(?:a?){60}a{60}b|(?R)", WL_REGEX_PLAIN, subject), WL_E_TIMEOUT);
}

TEST(long_subjects_and_deep_patterns_work)
{
	enum { LONG = 65536 };
	FREED char *s = malloc(LONG + 1);

	assert_non_null(s);
	memset(s, 'x', LONG);
	s[LONG] = '\0';
	s[LONG - 1] = 'y';
	assert_int_equal(match("y$", WL_REGEX_PLAIN, s), 1);
	assert_int_equal(match("^x.*y", WL_REGEX_PLAIN, s), 1);
	assert_int_equal(match("z", WL_REGEX_PLAIN, s), 0);
	assert_true(match("^(?:(x)|y)*$", WL_REGEX_PLAIN, s) != 0); /* deep, but not wrong */
}

TEST(malformed_subjects_are_searched_around)
{
	assert_int_equal(match("gemm", WL_REGEX_PLAIN, "\xff gemm"), 1);
	assert_int_equal(match("a.b", WL_REGEX_PLAIN,
			       "a\xff"
			       "b"),
			 0);
	assert_int_equal(match("x", WL_REGEX_PLAIN, "\xe2\x82"), 0);
}

TEST(freeing_nothing_is_fine)
{
	wl_regex_free(NULL);
}

TEST(a_smart_pattern_minds_case_if_it_has_a_capital)
{
	static const struct {
		const char *pattern, *subject;
		int match, minds;
	} cases[] = {
		{ "gemm", "GEMM", 1, 0 },    { "Gemm", "GEMM", 0, 1 },
		{ "Gemm", "Gemm", 1, 1 },    { "\\Sgemm", "xGEMM", 1, 0 },
		{ "\\p{Lu}x", "AX", 1, 0 },  { "\\pLx", "aX", 1, 0 },
		{ "(?P<n>a)b", "AB", 1, 0 }, { "(?-i)gemm", "GEMM", 0, 0 },
	};

	for (size_t i = 0; i < WL_COUNT(cases); i++) {
		const char *s = cases[i].subject;
		struct wl_regex *re, *other;
		struct wl_err err;

		assert_int_equal(wl_regex_new(cases[i].pattern, WL_REGEX_SMART, &re, &err), WL_OK);
		if (wl_regex_match(re, s, strlen(s)) != cases[i].match)
			fail_msg("%s on %s", cases[i].pattern, s);
		assert_int_equal(wl_regex_ignoring_case(re, &other, &err), cases[i].minds);
		assert_int_equal(other != NULL, cases[i].minds);
		assert_true(!other || wl_regex_match(other, s, strlen(s)) == 1);
		wl_regex_free(other);
		wl_regex_free(re);
	}
}
