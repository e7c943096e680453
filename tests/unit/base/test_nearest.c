/* SPDX-License-Identifier: MIT */
#include "base/text/nearest.h"

#include <string.h>

#include "base/attr.h"
#include "support/unit.h"

static const char *const words[] = { "summary", "info", "kernels", "transfers", "api" };

static const char *nearest(const char *wanted)
{
	struct wl_nearest n;

	wl_nearest_init(&n, wanted);
	for (size_t i = 0; i < WL_COUNT(words); i++)
		wl_nearest_offer(&n, words[i]);
	return wl_nearest_get(&n);
}

TEST(the_word_itself_is_nearest)
{
	for (size_t i = 0; i < WL_COUNT(words); i++)
		assert_string_equal(nearest(words[i]), words[i]);
}

TEST(slips_are_understood)
{
	assert_string_equal(nearest("kernls"), "kernels");
	assert_string_equal(nearest("kernelss"), "kernels");
	assert_string_equal(nearest("kermels"), "kernels");
	assert_string_equal(nearest("ekrnels"), "kernels");
	assert_string_equal(nearest("sumary"), "summary");
	assert_string_equal(nearest("trasnfer"), "transfers");
	assert_string_equal(nearest("apo"), "api");
}

TEST(case_does_not_matter)
{
	assert_string_equal(nearest("KERNELS"), "kernels");
	assert_string_equal(nearest("Inof"), "info");
}

TEST(a_beginning_is_meant)
{
	assert_string_equal(nearest("tra"), "transfers");
	assert_string_equal(nearest("SUM"), "summary");
}

TEST(what_is_far_is_not_meant)
{
	assert_null(nearest("xyzzy"));
	assert_null(nearest(""));
	assert_null(nearest("k"));
	assert_null(nearest("diff"));
	assert_null(nearest("kernelsandtransfers"));
}

TEST(nothing_offered_gives_nothing)
{
	struct wl_nearest n;

	wl_nearest_init(&n, "kernels");
	assert_null(wl_nearest_get(&n));
}

TEST(the_first_of_equals_wins)
{
	struct wl_nearest n;

	wl_nearest_init(&n, "cat");
	wl_nearest_offer(&n, "bat");
	wl_nearest_offer(&n, "rat");
	assert_string_equal(wl_nearest_get(&n), "bat");
}

/* Neither the wanted nor the offered word may overrun the table of distances. */
TEST(long_words_are_harmless)
{
	char longer[200];
	struct wl_nearest n;

	for (size_t size = 60; size < sizeof(longer); size++) {
		memset(longer, 'a', size);
		longer[size] = '\0';
		assert_null(nearest(longer));
		wl_nearest_init(&n, "aaa");
		wl_nearest_offer(&n, longer);
		(void)wl_nearest_get(&n);
	}
}

TEST(a_refusal_lists_the_words)
{
	struct wl_err err;

	assert_int_equal(
		wl_nearest_refuse("stats has no report", "kernls", words, WL_COUNT(words), &err),
		WL_E_USAGE);
	assert_string_equal(err.msg, "stats has no report \"kernls\"; did you mean kernels?; it "
				     "takes: summary, info, kernels, transfers, api");
	assert_int_equal(wl_nearest_refuse("stats has no report", "q", NULL, 0, &err), WL_E_USAGE);
	assert_string_equal(err.msg, "stats has no report \"q\"; it takes: none");
}
