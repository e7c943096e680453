/* SPDX-License-Identifier: MIT */
#include "tui/term/event.h"

#include <string.h>

#include "base/attr.h"
#include "support/unit.h"

static uint32_t parse(const char *name)
{
	return wl_key_parse(name, strlen(name));
}

TEST(names_and_keys_correspond)
{
	static const struct {
		const char *name;
		uint32_t key;
	} cases[] = {
		{ "q", 'q' },
		{ "Q", 'Q' },
		{ "-", '-' },
		{ "'", '\'' },
		{ "\xc3\xa9", 0xe9 },
		{ "Space", ' ' },
		{ "Tab", WL_KEY_TAB },
		{ "BTab", WL_KEY_BTAB },
		{ "Enter", WL_KEY_ENTER },
		{ "Esc", WL_KEY_ESC },
		{ "Backspace", WL_KEY_BACKSPACE },
		{ "Left", WL_KEY_LEFT },
		{ "S-Left", WL_KEY_LEFT | WL_MOD_SHIFT },
		{ "C-Right", WL_KEY_RIGHT | WL_MOD_CTRL },
		{ "C-A-S-End", WL_KEY_END | WL_MOD_CTRL | WL_MOD_ALT | WL_MOD_SHIFT },
		{ "C-t", 't' | WL_MOD_CTRL },
		{ "A-x", 'x' | WL_MOD_ALT },
		{ "A-X", 'X' | WL_MOD_ALT },
		{ "A--", '-' | WL_MOD_ALT },
		{ "C-Space", ' ' | WL_MOD_CTRL },
		{ "PgUp", WL_KEY_PGUP },
		{ "PgDn", WL_KEY_PGDN },
		{ "F1", WL_KEY_F1 },
		{ "F9", WL_KEY_F1 + 8 },
		{ "F10", WL_KEY_F10 },
		{ "F12", WL_KEY_F12 },
	};
	char buf[WL_KEY_NAME_BUF];

	for (size_t i = 0; i < WL_COUNT(cases); i++) {
		assert_int_equal(parse(cases[i].name), cases[i].key);
		assert_string_equal(wl_key_name(cases[i].key, buf), cases[i].name);
	}
}

TEST(what_terminals_cannot_tell_apart_is_one_key)
{
	assert_int_equal(parse("C-i"), WL_KEY_TAB);
	assert_int_equal(parse("C-h"), WL_KEY_BACKSPACE);
	assert_int_equal(parse("C-m"), WL_KEY_ENTER);
	assert_int_equal(parse("C-j"), WL_KEY_ENTER);
	assert_int_equal(parse("C-["), WL_KEY_ESC);
	assert_int_equal(parse("S-Tab"), WL_KEY_BTAB);
	assert_int_equal(parse("C-T"), parse("C-t"));
	assert_int_equal(parse("S-a"), 'A');
	assert_int_equal(parse("A-C-x"), parse("C-A-x"));
}

TEST(other_words_are_no_keys)
{
	static const char *const bad[] = {
		"",    " ",    "\t",   "qq",    "left",     "C-",        "X-a",         "F0",
		"F13", "S-C-", "\xff", "a\xff", "\xc2\x9b", "e\xcc\x81", "\xe2\x80\xa8"
	};
	char buf[WL_KEY_NAME_BUF];

	for (size_t i = 0; i < WL_COUNT(bad); i++)
		assert_int_equal(parse(bad[i]), 0);
	assert_int_equal(wl_key_parse("Left", 3), 0);
	assert_string_equal(wl_key_name(0, buf), "?");
	assert_string_equal(wl_key_name(1, buf), "?");
	assert_string_equal(wl_key_name(UINT32_MAX, buf), "?");
	assert_int_equal(wl_key_make(0x9b, 0), 0);
	assert_int_equal(wl_key_make(UINT32_MAX, 0), 0);
}

static void expect_key(struct wl_script_pos *pos, uint32_t key)
{
	struct wl_event e;
	const char *bad;

	assert_true(wl_script_next(pos, &e, &bad));
	assert_int_equal(e.kind, WL_EVENT_KEY);
	assert_int_equal(e.key, key);
}

static void expect_mouse(struct wl_script_pos *pos, struct wl_event want)
{
	struct wl_event e;
	const char *bad;

	assert_true(wl_script_next(pos, &e, &bad));
	assert_int_equal(e.kind, WL_EVENT_MOUSE);
	assert_int_equal(e.mouse, want.mouse);
	assert_int_equal(e.button, want.button);
	assert_int_equal(e.clicks, want.clicks);
	assert_int_equal(e.mods, want.mods);
	assert_int_equal(e.x, want.x);
	assert_int_equal(e.y, want.y);
}

static void expect_end(struct wl_script_pos *pos)
{
	struct wl_event e;
	const char *bad;

	assert_false(wl_script_next(pos, &e, &bad));
	assert_null(bad);
}

TEST(a_script_is_keys_and_texts)
{
	struct wl_script_pos pos = { " q  S-Left\t'a b''c'\n' 1 '''' '' '\xc3\xa9'x ", 0 };

	expect_key(&pos, 'q');
	expect_key(&pos, WL_KEY_LEFT | WL_MOD_SHIFT);
	expect_key(&pos, 'a');
	expect_key(&pos, ' ');
	expect_key(&pos, 'b');
	expect_key(&pos, '\'');
	expect_key(&pos, 'c');
	expect_key(&pos, '\'');
	expect_key(&pos, '1');
	expect_key(&pos, '\'');
	expect_key(&pos, 0xe9);
	expect_key(&pos, 'x');
	expect_end(&pos);
	expect_end(&pos);
}

TEST(a_word_of_the_mouse_is_several_events)
{
	struct wl_script_pos pos = {
		"click:3,4 dclick:1,2 A-wheelup:9,8 wheeldown:0,0 rdrag:1,2,30,4 mclick:5,6", 0
	};

	expect_mouse(&pos,
		     (struct wl_event){
			     .mouse = WL_MOUSE_PRESS, .button = 1, .clicks = 1, .x = 3, .y = 4 });
	expect_mouse(&pos,
		     (struct wl_event){ .mouse = WL_MOUSE_RELEASE, .button = 1, .x = 3, .y = 4 });
	for (int i = 1; i <= 2; i++) {
		expect_mouse(&pos, (struct wl_event){ .mouse = WL_MOUSE_PRESS,
						      .button = 1,
						      .clicks = i,
						      .x = 1,
						      .y = 2 });
		expect_mouse(&pos,
			     (struct wl_event){
				     .mouse = WL_MOUSE_RELEASE, .button = 1, .x = 1, .y = 2 });
	}
	expect_mouse(&pos,
		     (struct wl_event){
			     .mouse = WL_MOUSE_WHEEL_UP, .mods = WL_MOD_ALT, .x = 9, .y = 8 });
	expect_mouse(&pos, (struct wl_event){ .mouse = WL_MOUSE_WHEEL_DOWN });
	expect_mouse(&pos,
		     (struct wl_event){
			     .mouse = WL_MOUSE_PRESS, .button = 3, .clicks = 1, .x = 1, .y = 2 });
	expect_mouse(&pos,
		     (struct wl_event){ .mouse = WL_MOUSE_DRAG, .button = 3, .x = 30, .y = 4 });
	expect_mouse(&pos,
		     (struct wl_event){ .mouse = WL_MOUSE_RELEASE, .button = 3, .x = 30, .y = 4 });
	expect_mouse(&pos,
		     (struct wl_event){
			     .mouse = WL_MOUSE_PRESS, .button = 2, .clicks = 1, .x = 5, .y = 6 });
	expect_mouse(&pos,
		     (struct wl_event){ .mouse = WL_MOUSE_RELEASE, .button = 2, .x = 5, .y = 6 });
	expect_end(&pos);
}

TEST(a_script_resizes_and_waits)
{
	struct wl_script_pos pos = { "size:120x30 wait", 0 };
	struct wl_event e;
	const char *bad;

	assert_true(wl_script_next(&pos, &e, &bad));
	assert_int_equal(e.kind, WL_EVENT_RESIZE);
	assert_int_equal(e.cols, 120);
	assert_int_equal(e.rows, 30);
	assert_true(wl_script_next(&pos, &e, &bad));
	assert_int_equal(e.kind, WL_EVENT_NONE);
	expect_end(&pos);
}

TEST(what_is_no_event_is_shown)
{
	static const char *const bad_words[] = {
		"qq",         "click:",     "click:1",    "click:1,",           "click:1,2,3",
		"click:1;2",  "click:-1,2", "click:1,2x", "click:99999,1",      "drag:1,2",
		"size:80",    "size:80x",   "size:80,24", "size:99999999999x2", "waits",
		"xclick:1,2", "mwheel:1,2",
	};

	for (size_t i = 0; i < WL_COUNT(bad_words); i++) {
		struct wl_script_pos pos = { bad_words[i], 0 };
		struct wl_event e;
		const char *bad;

		assert_false(wl_script_next(&pos, &e, &bad));
		assert_ptr_equal(bad, bad_words[i]);
	}
}

TEST(a_text_must_end)
{
	struct wl_script_pos pos = { "'ab", 0 };
	struct wl_event e;
	const char *bad;

	expect_key(&pos, 'a');
	expect_key(&pos, 'b');
	assert_false(wl_script_next(&pos, &e, &bad));
	assert_non_null(bad);
	pos = (struct wl_script_pos){ "'a\001b'", 0 };
	expect_key(&pos, 'a');
	assert_false(wl_script_next(&pos, &e, &bad));
	assert_non_null(bad);
}
