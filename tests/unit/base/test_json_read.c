/* SPDX-License-Identifier: MIT */
#include "base/text/json_read.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/text/json_load.h"
#include "support/unit.h"

static struct wl_json *parse(const char *text)
{
	struct wl_json *doc = NULL;
	struct wl_err err;

	if (wl_json_parse(text, strlen(text), "t.json", &doc, &err) < 0)
		fail_msg("%s: %s", text, err.msg);
	return doc;
}

static void expect_bytes_refused(const char *text, size_t n, const char *words)
{
	struct wl_json *doc = NULL;
	struct wl_err err;

	assert_int_equal(wl_json_parse(text, n, "t.json", &doc, &err), WL_E_USAGE);
	assert_int_equal(err.code, WL_E_USAGE);
	assert_null(doc);
	assert_memory_equal(err.msg, "t.json: ", 8);
	if (!strstr(err.msg, words))
		fail_msg("%.60s: \"%s\" does not say \"%s\"", text, err.msg, words);
}

static void expect_refused(const char *text, const char *words)
{
	expect_bytes_refused(text, strlen(text), words);
}

TEST(values_have_their_type)
{
	static const struct {
		const char *text;
		enum wl_json_type type;
		size_t size;
	} cases[] = {
		{ "null", WL_JSON_NULL, 0 },
		{ "true", WL_JSON_BOOL, 0 },
		{ " false\n", WL_JSON_BOOL, 0 },
		{ "0", WL_JSON_NUMBER, 0 },
		{ "-1.5e3", WL_JSON_NUMBER, 0 },
		{ "\"\"", WL_JSON_STRING, 0 },
		{ "[]", WL_JSON_ARRAY, 0 },
		{ "[1, [2, 3]]", WL_JSON_ARRAY, 2 },
		{ "{}", WL_JSON_OBJECT, 0 },
		{ "{\"a\": {\"b\": 1}}", WL_JSON_OBJECT, 1 },
		{ "\t[1,\r\n2]  ", WL_JSON_ARRAY, 2 },
	};

	for (size_t i = 0; i < WL_COUNT(cases); i++) {
		struct wl_json *doc = parse(cases[i].text);
		double number;
		bool flag;

		assert_int_equal(wl_json_type_of(doc), cases[i].type);
		assert_int_equal(wl_json_size(doc), cases[i].size);
		assert_int_equal(wl_json_string(doc) != NULL, cases[i].type == WL_JSON_STRING);
		assert_int_equal(wl_json_number(doc, &number), cases[i].type == WL_JSON_NUMBER);
		assert_int_equal(wl_json_bool(doc, &flag), cases[i].type == WL_JSON_BOOL);
		wl_json_free(doc);
	}
}

TEST(scalars_have_their_value)
{
	struct wl_json *doc = parse("[1, -2.5, 12345678901234567890, true, false, "
				    "\"a\\u00e9\\n\\ud83d\\ude00\"]");
	double number;
	bool flag;

	assert_true(wl_json_number(wl_json_at(doc, 0), &number) && number == 1);
	assert_true(wl_json_number(wl_json_at(doc, 1), &number) && number == -2.5);
	assert_true(wl_json_number(wl_json_at(doc, 2), &number) &&
		    number == 12345678901234567890.0);
	assert_true(wl_json_bool(wl_json_at(doc, 3), &flag) && flag);
	assert_true(wl_json_bool(wl_json_at(doc, 4), &flag) && !flag);
	assert_string_equal(wl_json_string(wl_json_at(doc, 5)), "a\u00e9\n\U0001f600");
	wl_json_free(doc);
}

/* Enough members that a hash table would have mixed them. */
TEST(members_keep_the_order_of_the_file)
{
	enum { N = 500 };
	char text[N * 16] = "{", want[16];
	const struct wl_json *value;
	const void *at = NULL;
	struct wl_json *doc;
	const char *key;
	size_t used = 1, n = 0;
	double number;

	for (size_t i = 0; i < N; i++)
		used += (size_t)snprintf(text + used, sizeof(text) - used, "%s\"k%zu\":%zu",
					 i ? "," : "", i * 7919 % N, i);
	(void)snprintf(text + used, sizeof(text) - used, "}");
	doc = parse(text);
	assert_int_equal(wl_json_size(doc), N);
	for (; wl_json_next(doc, &at, &key, &value); n++) {
		(void)snprintf(want, sizeof(want), "k%zu", n * 7919 % N);
		assert_string_equal(key, want);
		assert_true(wl_json_number(value, &number) && number == (double)n);
		assert_ptr_equal(wl_json_member(doc, key), value);
	}
	assert_int_equal(n, N);
	wl_json_free(doc);
}

TEST(what_is_no_object_has_no_members)
{
	static const char *const texts[] = { "[1]", "\"a\"", "1", "null", "{}" };
	const struct wl_json *value;
	const char *key;

	for (size_t i = 0; i < WL_COUNT(texts); i++) {
		struct wl_json *doc = parse(texts[i]);
		const void *at = NULL;

		assert_false(wl_json_next(doc, &at, &key, &value));
		assert_null(wl_json_member(doc, "a"));
		wl_json_free(doc);
	}
}

TEST(a_missing_member_is_null)
{
	struct wl_json *doc = parse("{\"a\": null, \"\": 1}");

	assert_int_equal(wl_json_type_of(wl_json_member(doc, "a")), WL_JSON_NULL);
	assert_non_null(wl_json_member(doc, ""));
	assert_null(wl_json_member(doc, "b"));
	wl_json_free(doc);
}

TEST(a_duplicate_key_is_an_error)
{
	expect_refused("{\"a\": 1,\n \"b\": 2, \"a\": 1}", "line 2, column");
	expect_refused("{\"a\": 1, \"a\": 1}", "duplicate object key");
	expect_refused("{\"a\": 1, \"\\u0061\": 2}", "duplicate object key");
	wl_json_free(parse("{\"a\": {\"a\": {\"a\": 1}}}"));
}

TEST(errors_have_line_and_column)
{
	expect_refused("", "not valid JSON, line 1, column 0: ");
	expect_refused("{\n  \"a\": 1,\n  b: 2\n}", "not valid JSON, line 3, column 3: ");
	expect_refused("[1, 2", "not valid JSON, line 1, column 5: ");
}

TEST(only_what_the_standard_allows_is_taken)
{
	static const char *const bad[] = {
		" ",       "[1,]",  "{\"a\":1,}",  "[1] []", "{} x",     "'a'",     "01",
		"+1",      "1.",    ".5",          "NaN",    "Infinity", "True",    "nul",
		"\"\t\"",  "\"a",   "\"\\x\"",     "[",      "{\"a\"}",  "{1: 2}",  "// x\n1",
		"/* */ 1", "1e999", "\"\\ud800\"", "[1 2]",  "]",        "{\"a\":", "\"\n\"",
	};

	for (size_t i = 0; i < WL_COUNT(bad); i++)
		expect_refused(bad[i], "not valid JSON");
}

TEST(nul_is_refused_everywhere)
{
	expect_refused("\"a\\u0000b\"", "must not hold \\u0000");
	expect_refused("{\"a\\u0000b\": 1}", "must not hold \\u0000");
	expect_bytes_refused("\"a\0b\"", 5, "not valid JSON");
	expect_bytes_refused("[1]\0", 4, "not valid JSON");
	expect_bytes_refused("\0", 1, "not valid JSON");
	expect_bytes_refused("[1\0, 2]", 7, "not valid JSON, line 1, column 3: NUL");
	expect_bytes_refused("[1,\n\n 2\0]", 9, "not valid JSON, line 3, column 3: NUL");
	expect_bytes_refused("[\0]\0", 4, "not valid JSON, line 1, column 2: NUL");
}

TEST(malformed_utf8_is_refused)
{
	static const char *const bad[] = {
		"\"\xff\"",             /* no such byte */
		"\"\xc3\"",             /* cut short */
		"\"\xc0\xaf\"",         /* longer than need be */
		"\"\xed\xa0\x80\"",     /* a surrogate */
		"\"\xf4\x90\x80\x80\"", /* beyond the last */
		"\xef\xbb\xbf[]",       /* a byte order mark */
		"{\"\x80\": 1}",
	};

	for (size_t i = 0; i < WL_COUNT(bad); i++)
		expect_refused(bad[i], "not valid JSON");
}

/* depth arrays, one in another; or objects, each the only member of the one around it. */
static char *nested(size_t depth, bool objects)
{
	char *text = malloc(depth * 6 + 2), *s = text;

	assert_non_null(text);
	for (size_t i = 0; i < depth; i++)
		s = stpcpy(s, objects ? "{\"a\":" : "[");
	s = stpcpy(s, objects ? "1" : "");
	for (size_t i = 0; i < depth; i++)
		s = stpcpy(s, objects ? "}" : "]");
	return text;
}

TEST(depth_is_limited)
{
	static const size_t too_deep[] = { WL_JSON_MAX_DEPTH + 1, 1000, 2047, 2049, 100000 };

	for (int objects = 0; objects < 2; objects++) {
		char *text = nested(WL_JSON_MAX_DEPTH, objects);

		wl_json_free(parse(text));
		free(text);
		for (size_t i = 0; i < WL_COUNT(too_deep); i++) {
			text = nested(too_deep[i], objects);
			expect_refused(text, "nested in more than 32 levels");
			free(text);
		}
	}
	/* Deep in the second member, not only in the first. */
	expect_refused("[1, {\"a\": 1, \"b\": "
		       "[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]}]",
		       "nested in more than 32 levels");
}

TEST(size_is_limited)
{
	size_t n = WL_JSON_MAX_BYTES;
	FREED char *text = malloc(n + 1);
	struct wl_json *doc = NULL;

	assert_non_null(text);
	memset(text, ' ', n + 1);
	text[0] = '1';
	assert_int_equal(wl_json_parse(text, n, "t.json", &doc, NULL), WL_OK);
	wl_json_free(doc);
	expect_bytes_refused(text, n + 1, "larger than 4 MiB");
}

TEST(nothing_is_freed_like_a_document)
{
	wl_json_free(NULL);
}

TEST(documents_are_merged_by_name)
{
	struct wl_json *to = parse("{\"a\": {\"x\": \"1\"}, \"s\": \"mine\"}");
	struct wl_json *from = parse("{\"a\": {\"x\": \"2\", \"y\": \"3\"}, "
				     "\"b\": {\"z\": \"4\"}, \"s\": {}}");
	struct wl_json *array = parse("[]");

	assert_true(wl_json_merge(to, from));
	wl_json_free(from); /* what was added lives on */
	assert_string_equal(wl_json_string(wl_json_member(wl_json_member(to, "a"), "x")), "1");
	assert_string_equal(wl_json_string(wl_json_member(wl_json_member(to, "a"), "y")), "3");
	assert_string_equal(wl_json_string(wl_json_member(wl_json_member(to, "b"), "z")), "4");
	assert_string_equal(wl_json_string(wl_json_member(to, "s")), "mine");
	assert_false(wl_json_merge(to, array));
	assert_false(wl_json_merge(array, to));
	wl_json_free(array);
	wl_json_free(to);
}

/* Each limit up to the one that suffices ends the parse at another of its allocations. */
TEST(parsing_ends_wherever_memory_does)
{
	static const char *const documents[] = {
		"{\"a\": [1, 2.5, \"text of some bytes\", {\"b\": null}], \"c\": \"\\u00e9\"}",
		"[[], {}, [1, 2, 3, 4, 5, 6, 7, 8, 9, 10], \"\", true]",
		"{\"a\":1, \"b\":1, \"c\":1, \"d\":1, \"e\":1, \"f\":1, \"g\":1, \"h\":1, \"i\":1}",
		"{\"a\": 1, \"a\": 2}",
		"[1, \"a\" x",
	};

	for (size_t i = 0; i < WL_COUNT(documents); i++) {
		size_t n = strlen(documents[i]), n_short = 0;
		bool is_short = true;

		for (size_t most = 0; is_short; most++) {
			json_error_t e;
			json_t *doc = wl_json_load(documents[i], n, most, &e, &is_short);

			assert_true(!is_short || !doc);
			assert_true(is_short || (doc != NULL) == (i < 3));
			n_short += is_short;
			json_decref(doc);
		}
		assert_in_range(n_short, 100, 10000);
	}
}
