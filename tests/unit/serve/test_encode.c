/* SPDX-License-Identifier: MIT */
#include "serve/http/encode.h"

#include <stdlib.h>
#include <string.h>

#include "support/unit.h"

TEST(gzip_is_taken_where_it_is_wanted)
{
	static const char *const yes[] = { "gzip",
					   "gzip, deflate, br",
					   "br,GZIP",
					   "br;q=1.0, gzip;q=0.8",
					   " \tgzip ;q=0.001",
					   "gzip;q=1",
					   ",,gzip" };
	static const char *const no[] = { "",          "br",     "gzip;q=0", "gzip; q=0.000 , br",
					  "gzip ;Q=0", "x-gzip", "gzipped",  "deflate;gzip",
					  "*" };

	assert_false(wl_accepts_gzip(NULL));
	for (size_t i = 0; i < WL_COUNT(yes); i++)
		assert_true(wl_accepts_gzip(yes[i]));
	for (size_t i = 0; i < WL_COUNT(no); i++)
		assert_false(wl_accepts_gzip(no[i]));
}

TEST(what_does_not_become_smaller_stays)
{
	struct wl_answer a = WL_ANSWER_NONE;
	char *bytes;
	uint32_t random = 1;

	assert_false(wl_answer_compress(&a));
	bytes = wl_answer_binary(&a, 100);
	assert_non_null(bytes);
	assert_false(wl_answer_compress(&a));
	assert_ptr_equal(a.bytes, bytes);
	wl_answer_release(&a);
	bytes = wl_answer_binary(&a, 5000);
	assert_non_null(bytes);
	for (size_t i = 0; i < a.n; i++) {
		random = random * 1664525 + 1013904223;
		bytes[i] = (char)(random >> 24);
	}
	assert_false(wl_answer_compress(&a));
	assert_ptr_equal(a.bytes, bytes);
	assert_int_equal(a.n, 5000);
	wl_answer_release(&a);
}

TEST(what_becomes_smaller_is_gzip)
{
	struct wl_answer a = WL_ANSWER_NONE;

	assert_non_null(wl_answer_binary(&a, 100000));
	assert_true(wl_answer_compress(&a));
	assert_in_range(a.n, 20, 1000);
	assert_memory_equal(a.bytes, "\x1f\x8b", 2);
	wl_answer_release(&a);
}
