/* SPDX-License-Identifier: MIT */
#include "serve/answers/query.h"

#include <string.h>

#include "support/unit.h"

static struct wl_arena arena;
static struct wl_err err;

static int drop(void **state)
{
	(void)state;
	wl_arena_release(&arena);
	return 0;
}

static struct wl_query parse(const char *text)
{
	struct wl_query q;

	assert_int_equal(wl_query_parse(text, &arena, &q, &err), WL_OK);
	return q;
}

static void is_refused(const char *text)
{
	struct wl_query q;

	if (wl_query_parse(text, &arena, &q, &err) != WL_E_USAGE)
		fail_msg("taken: %s", text);
}

TEST_WITH(keys_and_values_are_decoded, NULL, drop)
{
	struct wl_query q = parse("q=a%20b+c%26%3D%C3%A9&w=1&");

	assert_int_equal(q.n, 2);
	assert_string_equal(wl_query_text(&q, "q"), "a b c&=\303\251");
	assert_string_equal(wl_query_text(&q, "w"), "1");
	assert_null(wl_query_text(&q, "x"));
	assert_int_equal(parse(NULL).n, 0);
	assert_int_equal(parse("").n, 0);
	assert_string_equal(
		wl_query_text(&(struct wl_query){ parse("a=").n, { { "a", "" } } }, "a"), "");
}

TEST_WITH(malformed_ones_are_refused, NULL, drop)
{
	is_refused("a");
	is_refused("=1");
	is_refused("a=1&&b=2");
	is_refused("A=1");
	is_refused("a%62=1");
	is_refused("a=1&a=2");
	is_refused("a=%");
	is_refused("a=%2");
	is_refused("a=%zz");
	is_refused("a=%00");
	is_refused("a=%ff");
	is_refused("a=1&b=1&c=1&d=1&e=1&f=1&g=1&h=1&i=1&j=1&k=1&l=1&m=1&n=1&o=1&p=1&q=1");
}

TEST_WITH(unknown_keys_are_refused, NULL, drop)
{
	struct wl_query q = parse("a=1&rows=2");

	assert_int_equal(wl_query_only(&q, "a b rows", &err), WL_OK);
	assert_int_equal(wl_query_only(&q, "a b", &err), WL_E_USAGE);
	assert_int_equal(wl_query_only(&q, "a b row", &err), WL_E_USAGE);
	assert_int_equal(wl_query_only(&q, "", &err), WL_E_USAGE);
}

TEST_WITH(numbers_are_whole_and_in_range, NULL, drop)
{
	static const char *const bad[] = { "a=",
					   "a=1.5",
					   "a=1e3",
					   "a=+1",
					   "a=%201",
					   "a=0x10",
					   "a=-",
					   "a=--1",
					   "a=101",
					   "a=-11",
					   "a=1%00",
					   "a=99999999999999999999",
					   "a=18446744073709551617" };
	struct wl_query q = parse("a=-10&b=100");
	int64_t v = 7;

	assert_int_equal(wl_query_i64(&q, "a", -10, 100, &v, &err), WL_OK);
	assert_int_equal(v, -10);
	assert_int_equal(wl_query_i64(&q, "b", -10, 100, &v, &err), WL_OK);
	assert_int_equal(v, 100);
	assert_int_equal(wl_query_i64(&q, "c", -10, 100, &v, &err), WL_OK);
	assert_int_equal(v, 100);
	assert_int_equal(wl_query_need_i64(&q, "c", -10, 100, &v, &err), WL_E_USAGE);
	for (size_t i = 0; i < WL_COUNT(bad); i++) {
		if (wl_query_parse(bad[i], &arena, &q, &err) == WL_OK)
			assert_int_equal(wl_query_i64(&q, "a", -10, 100, &v, &err), WL_E_USAGE);
	}
	q = parse("a=9223372036854775807&b=-9223372036854775807");
	assert_int_equal(wl_query_i64(&q, "a", INT64_MIN, INT64_MAX, &v, &err), WL_OK);
	assert_true(v == INT64_MAX);
	assert_int_equal(wl_query_i64(&q, "b", INT64_MIN, INT64_MAX, &v, &err), WL_OK);
	assert_true(v == -INT64_MAX);
}

TEST_WITH(words_are_of_the_list, NULL, drop)
{
	static const char *const words[] = { "sub", "re", NULL };
	struct wl_query q = parse("mode=re&other=r");
	size_t i = 9;

	assert_int_equal(wl_query_word(&q, "mode", words, &i, &err), WL_OK);
	assert_int_equal(i, 1);
	assert_int_equal(wl_query_word(&q, "none", words, &i, &err), WL_OK);
	assert_int_equal(i, 0);
	assert_int_equal(wl_query_word(&q, "other", words, &i, &err), WL_E_USAGE);
}

static int list(const char *text, const uint32_t **ret, size_t *n)
{
	struct wl_number_list l = { .limit = 30, .max = 8 };
	struct wl_query q = parse(text);
	int r = wl_query_list(&q, "rows", &arena, &l, &err);

	*ret = l.at;
	*n = l.n;
	return r;
}

TEST_WITH(lists_have_ranges, NULL, drop)
{
	static const uint32_t want[] = { 3, 4, 9, 10, 11, 29 };
	const uint32_t *got;
	size_t n;

	assert_int_equal(list("rows=3,4,9-11,29", &got, &n), WL_OK);
	assert_int_equal(n, WL_COUNT(want));
	assert_memory_equal(got, want, sizeof(want));
	assert_int_equal(list("rows=0-7", &got, &n), WL_OK);
	assert_int_equal(n, 8);
	assert_int_equal(list("rows=", &got, &n), WL_OK);
	assert_int_equal(n, 0);
	assert_int_equal(list("a=1", &got, &n), WL_OK);
	assert_int_equal(n, 0);
}

TEST_WITH(lists_are_bounded, NULL, drop)
{
	static const char *const bad[] = { "rows=30",
					   "rows=0-8",
					   "rows=1,1,1,1,1,1,1,1,1",
					   "rows=4-3",
					   "rows=3-",
					   "rows=-3",
					   "rows=3;4",
					   "rows=,3",
					   "rows=3,,4",
					   "rows=a",
					   "rows=0-18446744073709551615" };
	const uint32_t *got;
	size_t n;

	for (size_t i = 0; i < WL_COUNT(bad); i++) {
		if (list(bad[i], &got, &n) != WL_E_USAGE)
			fail_msg("taken: %s", bad[i]);
	}
}

TEST_WITH(triples_are_whole, NULL, drop)
{
	int64_t v[3];

	assert_true(wl_numbers_parse("-7,3,12", v, 3));
	assert_true(v[0] == -7 && v[1] == 3 && v[2] == 12);
	assert_false(wl_numbers_parse("1,2", v, 3));
	assert_false(wl_numbers_parse("1,2,3,4", v, 3));
	assert_false(wl_numbers_parse("1,2,", v, 3));
	assert_false(wl_numbers_parse("", v, 3));
	assert_false(wl_numbers_parse("1,2,3", v, 1));
}

TEST_WITH(a_budget_may_be_too_small, NULL, drop)
{
	WITH(struct wl_arena, small, wl_arena_release, wl_arena_init(&small, 1));
	struct wl_query q;

	assert_int_equal(wl_query_parse("a=1", &small, &q, &err), WL_E_NOMEM);
}
