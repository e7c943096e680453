/* SPDX-License-Identifier: MIT */
#include "base/text/pattern.h"

#include <stdlib.h>
#include <string.h>

#include "support/unit.h"

static bool matches(const char *text, const char *name)
{
	struct wl_pattern p;
	struct wl_err err;
	bool r;

	if (wl_pattern_init(&p, text, &err) < 0)
		fail_msg("%s", err.msg);
	r = wl_pattern_matches(&p, name);
	wl_pattern_release(&p);
	return r;
}

TEST(a_part_matches_anywhere_in_any_case)
{
	assert_true(matches("Step", "train_STEP 7"));
	assert_true(matches("step", "step"));
	assert_false(matches("step ", "step"));
	assert_false(matches("st.p", "step"));
	assert_true(matches("re", "are"));
	assert_true(matches("r\u00e9", "Pr\u00e9"));
}

TEST(re_begins_an_expression_in_which_case_counts)
{
	assert_true(matches("re:^step \\d+$", "step 12"));
	assert_false(matches("re:^step \\d+$", "Step 12"));
	assert_true(matches("re:(?i)STEP", "a step"));
	assert_false(matches("RE:x", "x"));
}

TEST(a_malformed_pattern_is_a_usage_error)
{
	static const char *const bad[] = { "", "re:", "re:(", "re:a)" };
	struct wl_pattern p;
	struct wl_err err;

	for (size_t i = 0; i < WL_COUNT(bad); i++) {
		err = (struct wl_err){ .code = WL_OK };
		assert_int_equal(wl_pattern_init(&p, bad[i], &err), WL_E_USAGE);
		assert_int_equal(err.code, WL_E_USAGE);
		wl_pattern_release(&p);
	}
	wl_pattern_release(&(struct wl_pattern){ .part = NULL });
}

TEST(an_expression_that_takes_too_long_does_not_match)
{
	assert_false(matches("re:^(a|a)*(a|a)*(a|a)*$",
			     "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaab"));
}

TEST(a_glob_matches_the_whole_name)
{
	assert_true(wl_glob_matches("step", "step"));
	assert_false(wl_glob_matches("step", "step 1"));
	assert_false(wl_glob_matches("step 1", "step"));
	assert_false(wl_glob_matches("Step", "step"));
	assert_true(wl_glob_matches("forward chunk*backward chunk*",
				    "forward chunk 3 (phase1) backward chunk 2 (phase0)"));
	assert_false(wl_glob_matches("forward chunk*backward chunk*", "forward chunk 3 (phase1)"));
	assert_false(
		wl_glob_matches("forward chunk*backward chunk*", " forward chunk backward chunk"));
	assert_true(wl_glob_matches("", ""));
	assert_false(wl_glob_matches("", "a"));
	assert_true(wl_glob_matches("*", ""));
	assert_true(wl_glob_matches("**", "abc"));
	assert_true(wl_glob_matches("*ab*ab", "aababxab"));
	assert_false(wl_glob_matches("*ab*ab", "ab"));
	assert_true(wl_glob_matches("a*", "a"));
	assert_false(wl_glob_matches("a*b", "a"));
}

TEST(a_question_mark_is_one_character)
{
	assert_true(wl_glob_matches("a?c", "abc"));
	assert_false(wl_glob_matches("a?c", "ac"));
	assert_true(wl_glob_matches("?", "\u4f60"));
	assert_false(wl_glob_matches("??", "\u4f60"));
	assert_true(wl_glob_matches("*?b", "\u4f60ab"));
	assert_false(wl_glob_matches("*??", "\u4f60"));
	assert_false(wl_glob_matches("?", ""));
	assert_true(wl_glob_matches("[a]\\", "[a]\\"));
}

TEST(many_stars_take_no_more_than_the_product)
{
	char name[4001], glob[401];

	memset(name, 'a', sizeof(name) - 1);
	name[sizeof(name) - 1] = '\0';
	for (size_t i = 0; i + 1 < sizeof(glob); i += 2)
		memcpy(glob + i, "*a", 2);
	glob[sizeof(glob) - 1] = '\0';
	assert_true(wl_glob_matches(glob, name));
	name[sizeof(name) - 2] = 'b';
	assert_false(wl_glob_matches(glob, name));
}

static void expect_last(const char *pattern, const char *name, size_t begin, size_t end)
{
	struct wl_regex_span at = { 99, 99 };
	struct wl_pattern p;

	assert_int_equal(wl_pattern_init(&p, pattern, NULL), WL_OK);
	assert_int_equal(wl_pattern_last(&p, name, &at), begin <= end);
	if (begin <= end) {
		assert_int_equal(at.begin, begin);
		assert_int_equal(at.end, end);
	}
	wl_pattern_release(&p);
}

TEST(the_last_match_is_where_the_name_ends_with_it)
{
	expect_last("re:stage[1-5]_[fb]", "l1_stage5_b_l2_stage1_f_x", 15, 23);
	expect_last("re:stage[1-5]_[fb]", "l1_stage6_b", 1, 0);
	expect_last("re:aa", "aaaaa", 2, 4); /* matches follow each other and do not overlap */
	expect_last("re:x*", "\u4f60x\u4f60", 7, 7); /* a match of nothing is a match */
	expect_last("re:$", "", 0, 0);
	expect_last("Dispatch", "DISPATCH dispatcH!", 9, 17);
	expect_last("aa", "aaaaa", 2, 4);
	expect_last("b", "aaa", 1, 0);
}
