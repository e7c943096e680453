/* SPDX-License-Identifier: MIT */
#include "base/text/utf8.h"

#include <string.h>

#include "support/unit.h"

static void expect_decode(const char *s, size_t n, uint32_t want_cp, size_t want_len)
{
	uint32_t cp = 0;

	assert_int_equal(wl_utf8_decode(s, n, &cp), want_len);
	assert_int_equal(cp, want_cp);
}

TEST(sequences_of_every_length_decode)
{
	expect_decode("A", 1, 'A', 1);
	expect_decode("\0", 1, 0, 1);
	expect_decode("\xc2\x80", 2, 0x80, 2);
	expect_decode("\xdf\xbf", 2, 0x7ff, 2);
	expect_decode("\xe0\xa0\x80", 3, 0x800, 3);
	expect_decode("\xed\x9f\xbf", 3, 0xd7ff, 3);
	expect_decode("\xee\x80\x80", 3, 0xe000, 3);
	expect_decode("\xf0\x90\x80\x80", 4, 0x10000, 4);
	expect_decode("\xf4\x8f\xbf\xbf", 4, 0x10ffff, 4);
}

TEST(malformed_sequences_give_their_longest_good_beginning)
{
	expect_decode("\x80", 1, WL_UTF8_INVALID, 1);             /* continuation alone */
	expect_decode("\xc0\xaf", 2, WL_UTF8_INVALID, 1);         /* overlong */
	expect_decode("\xe0\x80\xaf", 3, WL_UTF8_INVALID, 1);     /* overlong */
	expect_decode("\xed\xa0\x80", 3, WL_UTF8_INVALID, 1);     /* surrogate */
	expect_decode("\xf4\x90\x80\x80", 4, WL_UTF8_INVALID, 1); /* above U+10FFFF */
	expect_decode("\xf5\x80\x80\x80", 4, WL_UTF8_INVALID, 1);
	expect_decode("\xf0\x90\x80", 3, WL_UTF8_INVALID, 3); /* cut */
	expect_decode("\xf0\x90\x80\x41", 4, WL_UTF8_INVALID, 3);
	expect_decode("\xe2\x82", 2, WL_UTF8_INVALID, 2);
	expect_decode("\xe2\x82\xac", 2, WL_UTF8_INVALID, 2); /* cut by the length */
}

TEST(every_code_point_survives_a_round_trip)
{
	char buf[WL_UTF8_MAX];

	for (uint32_t cp = 0; cp <= 0x10ffff; cp++) {
		size_t len = wl_utf8_encode(cp, buf);
		bool surrogate = cp >= 0xd800 && cp <= 0xdfff;

		expect_decode(buf, len, surrogate ? WL_UTF8_REPLACEMENT : cp, len);
	}
	assert_int_equal(wl_utf8_encode(0x110000, buf), 3);
	assert_memory_equal(buf, "\xef\xbf\xbd", 3);
}

TEST(iteration_stops_at_the_end_and_never_passes_it)
{
	const char *s = "a\xf0\x9f";

	assert_int_equal(wl_utf8_next(&s), 'a');
	assert_int_equal(wl_utf8_next(&s), WL_UTF8_REPLACEMENT);
	assert_int_equal(wl_utf8_next(&s), 0);
	assert_int_equal(wl_utf8_next(&s), 0);
	assert_int_equal(*s, '\0');
}

TEST(repair_replaces_malformed_bytes_and_nul)
{
	WITH(struct wl_arena, arena, wl_arena_release, wl_arena_init(&arena, 1 << 16));
	static const char bad[] = "a\0b\xff"
				  "c\xe2\x82";
	size_t replaced = 0;
	char *clean;

	assert_false(wl_utf8_is_valid(bad, sizeof(bad) - 1));
	assert_int_equal(wl_utf8_clean_size(bad, sizeof(bad) - 1), 12);
	clean = wl_utf8_clean_dup(&arena, bad, sizeof(bad) - 1, &replaced);
	assert_non_null(clean);
	assert_string_equal(clean, "a\ufffd"
				   "b\ufffd"
				   "c\ufffd");
	assert_int_equal(replaced, 3);
	assert_true(wl_utf8_is_valid(clean, strlen(clean)));
	clean = wl_utf8_clean_dup(&arena, "fine \u00e9", 7, &replaced);
	assert_string_equal(clean, "fine \u00e9");
	assert_int_equal(replaced, 0);
	clean = wl_utf8_clean_dup(&arena, "", 0, &replaced);
	assert_string_equal(clean, "");
}

TEST(repair_says_when_the_arena_is_exhausted)
{
	WITH(struct wl_arena, arena, wl_arena_release, wl_arena_init(&arena, 0));
	size_t replaced;

	assert_null(wl_utf8_clean_dup(&arena, "abc", 3, &replaced));
}

/* Whatever the bytes, the result is valid and repairing it again changes nothing. */
TEST(repair_of_random_bytes_is_valid)
{
	uint32_t seed = 1;
	char in[32], out[3 * sizeof(in)];

	for (int round = 0; round < 20000; round++) {
		size_t n = (size_t)(round % (int)sizeof(in)), size;

		for (size_t i = 0; i < n; i++) {
			seed = seed * 1664525 + 1013904223;
			in[i] = (char)(seed >> 24);
		}
		size = wl_utf8_clean_size(in, n);
		assert_true(size <= sizeof(out));
		(void)wl_utf8_clean(in, n, out);
		assert_true(wl_utf8_is_valid(out, size));
		assert_int_equal(wl_utf8_is_valid(in, n), wl_utf8_clean(in, n, out) == 0);
	}
}

TEST(widths_follow_the_terminal)
{
	assert_int_equal(wl_utf8_cp_width('a'), 1);
	assert_int_equal(wl_utf8_cp_width(0x00e9), 1);
	assert_int_equal(wl_utf8_cp_width(0x0301), 0);  /* combining acute */
	assert_int_equal(wl_utf8_cp_width(0x200b), 0);  /* zero width space */
	assert_int_equal(wl_utf8_cp_width(0x200d), 0);  /* joiner */
	assert_int_equal(wl_utf8_cp_width(0xfe0f), 0);  /* variation selector */
	assert_int_equal(wl_utf8_cp_width(0x1100), 2);  /* Hangul initial */
	assert_int_equal(wl_utf8_cp_width(0x4e2d), 2);  /* Han */
	assert_int_equal(wl_utf8_cp_width(0xac00), 2);  /* Hangul syllable */
	assert_int_equal(wl_utf8_cp_width(0xff21), 2);  /* full width A */
	assert_int_equal(wl_utf8_cp_width(0x1f600), 2); /* emoji */
	assert_int_equal(wl_utf8_cp_width(0x20000), 2);
	assert_int_equal(wl_utf8_cp_width(0x2026), 1); /* ellipsis */
	assert_int_equal(wl_utf8_cp_width(0xfffd), 1);
	assert_int_equal(wl_utf8_cp_width(0x10ffff), 1);
	assert_int_equal(wl_utf8_width(""), 0);
	assert_int_equal(wl_utf8_width("e\u0301\u4e2d\U0001f600!"), 6);
	assert_int_equal(wl_utf8_width("\xff"), 1);
}

TEST(controls_and_bidi_are_known)
{
	assert_true(wl_utf8_is_control('\n'));
	assert_true(wl_utf8_is_control(0x7f));
	assert_true(wl_utf8_is_control(0x9b));
	assert_false(wl_utf8_is_control(' '));
	assert_false(wl_utf8_is_control(0xa0));
	assert_true(wl_utf8_is_bidi(0x061c));
	assert_true(wl_utf8_is_bidi(0x200e));
	assert_true(wl_utf8_is_bidi(0x200f));
	assert_false(wl_utf8_is_bidi(0x200d));
	assert_true(wl_utf8_is_bidi(0x202a));
	assert_true(wl_utf8_is_bidi(0x202e));
	assert_true(wl_utf8_is_bidi(0x2066));
	assert_true(wl_utf8_is_bidi(0x2069));
	assert_false(wl_utf8_is_bidi(0x2029));
	assert_false(wl_utf8_is_bidi(0x206a));
}
