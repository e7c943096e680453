/* SPDX-License-Identifier: MIT */
#include "base/text/json_write.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "support/unit.h"

static void expect_str(const char *s, const char *want)
{
	FREED char *text = NULL;
	size_t size;
	FILE *out = open_memstream(&text, &size);

	assert_non_null(out);
	wl_jsonw_put_quoted(out, s);
	assert_int_equal(fclose(out), 0);
	assert_string_equal(text, want);
}

TEST(commas_come_by_themselves)
{
	FREED char *text = NULL;
	size_t size;
	FILE *out = open_memstream(&text, &size);
	struct wl_jsonw w;

	assert_non_null(out);
	wl_jsonw_init(&w, out);
	wl_jsonw_begin_object(&w);
	wl_jsonw_key(&w, "empty");
	wl_jsonw_begin_array(&w);
	wl_jsonw_end_array(&w);
	wl_jsonw_key(&w, "list");
	wl_jsonw_begin_array(&w);
	wl_jsonw_i64(&w, INT64_MIN);
	wl_jsonw_newline(&w);
	wl_jsonw_id(&w, -1);
	wl_jsonw_u64_id(&w, UINT64_MAX);
	wl_jsonw_begin_object(&w);
	wl_jsonw_end_object(&w);
	wl_jsonw_bool(&w, true);
	wl_jsonw_bool(&w, false);
	wl_jsonw_null(&w);
	wl_jsonw_str(&w, NULL);
	wl_jsonw_str(&w, "s");
	wl_jsonw_end_array(&w);
	wl_jsonw_key(&w, "f");
	wl_jsonw_f64(&w, 0.1);
	wl_jsonw_end_object(&w);
	wl_jsonw_finish(&w);
	wl_jsonw_begin_array(&w);
	wl_jsonw_f64(&w, (double)NAN);
	wl_jsonw_f64(&w, -(double)INFINITY);
	wl_jsonw_f64(&w, 1e300);
	wl_jsonw_end_array(&w);
	wl_jsonw_finish(&w);
	assert_int_equal(fclose(out), 0);
	assert_string_equal(text,
			    "{\"empty\":[],\"list\":[-9223372036854775808,\n\"-1\","
			    "\"18446744073709551615\",{},true,false,null,null,\"s\"],\"f\":0.1}\n"
			    "[null,null,1e+300]\n");
}

TEST(members_are_keys_with_values)
{
	static const char *const texts[] = { "a", NULL };
	FREED char *text = NULL;
	size_t size;
	FILE *out = open_memstream(&text, &size);
	struct wl_jsonw w;

	assert_non_null(out);
	wl_jsonw_init(&w, out);
	wl_jsonw_begin_object(&w);
	wl_jsonw_put_str(&w, "s", NULL);
	wl_jsonw_put_strs(&w, "list", texts, 2);
	wl_jsonw_put_strs(&w, "none", NULL, 0);
	wl_jsonw_put_i64(&w, "i", -7);
	wl_jsonw_put_i64_if(&w, "known", true, 7);
	wl_jsonw_put_i64_if(&w, "unknown", false, 7);
	wl_jsonw_put_id(&w, "id", INT64_MAX);
	wl_jsonw_put_f64(&w, "f", 0.5);
	wl_jsonw_put_bool(&w, "b", true);
	wl_jsonw_put_raw(&w, "raw", "[1]", 3);
	wl_jsonw_open_object(&w, "in");
	wl_jsonw_open_array(&w, "on");
	wl_jsonw_end_array(&w);
	wl_jsonw_end_object(&w);
	wl_jsonw_end_object(&w);
	wl_jsonw_finish(&w);
	assert_int_equal(fclose(out), 0);
	assert_string_equal(text, "{\"s\":null,\"list\":[\"a\",null],\"none\":[],\"i\":-7,"
				  "\"known\":7,\"unknown\":null,\"id\":\"9223372036854775807\","
				  "\"f\":0.5,\"b\":true,\"raw\":[1],\"in\":{\"on\":[]}}\n");
}

TEST(strings_are_escaped)
{
	expect_str("", "\"\"");
	expect_str("a\"b\\c/", "\"a\\\"b\\\\c/\"");
	expect_str("\n\t\r\001\033", "\"\\n\\t\\u000d\\u0001\\u001b\"");
	expect_str("\x7f\xc2\x80\xc2\x9f\xc2\xa0", "\"\\u007f\\u0080\\u009f\xc2\xa0\"");
	expect_str("</script>&", "\"\\u003c/script\\u003e\\u0026\"");
	expect_str("\xe2\x80\xa8\xe2\x80\xa9", "\"\\u2028\\u2029\"");
	expect_str("\xe2\x80\xaa\xe2\x80\xae", "\"\\u202a\\u202e\"");
	expect_str("\xe2\x81\xa6\xe2\x81\xa9", "\"\\u2066\\u2069\"");
	expect_str("\xe4\xbd\xa0 \xf0\x9f\x98\x80", "\"\xe4\xbd\xa0 \xf0\x9f\x98\x80\"");
}

TEST(malformed_utf8_is_repaired)
{
	expect_str("\xff", "\"\xef\xbf\xbd\"");
	expect_str("a\xed\xa0\x80z", "\"a\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbdz\"");
	expect_str("cut \xf0\x9f\x98", "\"cut \xef\xbf\xbd\"");
}

/* However small the buffer is, the parts add up to the same, and none ends inside a character. */
TEST(parts_of_a_string_add_up)
{
	static const char text[] =
		"a\"<\x01\xc2\x85\xf0\x9f\x98\x80\xe2\x80\xa8\xff plain \\\n end";
	static const char want[] =
		"a\\\"\\u003c\\u0001\\u0085\xf0\x9f\x98\x80\\u2028\xef\xbf\xbd plain \\\\\\n end";

	for (size_t cap = WL_JSONW_ESCAPE; cap < 64; cap++) {
		char got[sizeof(want) + 64];
		const char *s = text;
		size_t n = 0;

		for (size_t part; (part = wl_jsonw_escape(&s, got + n, cap)) > 0; n += part) {
			assert_in_range(part, 1, cap);
			assert_int_not_equal(*s & 0xC0, 0x80);
		}
		assert_int_equal(n, sizeof(want) - 1);
		assert_memory_equal(got, want, n);
	}
}
