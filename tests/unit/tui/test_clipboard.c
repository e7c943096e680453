/* SPDX-License-Identifier: MIT */
#include "tui/term/clipboard.h"

#include <stdlib.h>
#include <string.h>

#include "support/unit.h"

static struct wl_budget budget;

static void expect(const char *text, const char *want)
{
	WITH(struct wl_vec, out, wl_vec_release, wl_vec_init(&out, 1, &budget));

	wl_clipboard_put(text, &out);
	wl_vec_push(&out, "");
	assert_false(out.failed);
	assert_string_equal(out.data, want);
}

/* The examples of RFC 4648. */
TEST(text_is_in_base64)
{
	expect("", "\033]52;c;\a");
	expect("f", "\033]52;c;Zg==\a");
	expect("fo", "\033]52;c;Zm8=\a");
	expect("foo", "\033]52;c;Zm9v\a");
	expect("foob", "\033]52;c;Zm9vYg==\a");
	expect("\xff\xfe\xfd", "\033]52;c;//79\a");
}

TEST(long_text_is_cut_between_characters)
{
	FREED char *text = malloc(WL_CLIPBOARD_MAX + 100);
	struct wl_vec out;

	assert_non_null(text);
	memset(text, 'a', WL_CLIPBOARD_MAX + 99);
	text[WL_CLIPBOARD_MAX + 99] = '\0';
	memcpy(text + WL_CLIPBOARD_MAX - 1, "\xc3\xa9", 2);
	wl_vec_init(&out, 1, &budget);
	wl_clipboard_put(text, &out);
	assert_int_equal(out.n, 7 + (WL_CLIPBOARD_MAX - 1 + 2) / 3 * 4 + 1);
	assert_memory_equal((char *)out.data + out.n - 5, "YWE=", 4);
	wl_vec_release(&out);
}

TEST(without_memory_it_fails)
{
	struct wl_budget small = { .limit = 1 };
	WITH(struct wl_vec, out, wl_vec_release, wl_vec_init(&out, 1, &small));

	wl_clipboard_put("text", &out);
	assert_true(out.failed);
}
