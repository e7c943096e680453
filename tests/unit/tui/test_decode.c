/* SPDX-License-Identifier: MIT */
#include "tui/term/decode.h"

#include <string.h>

#include "base/attr.h"
#include "support/random.h"
#include "support/unit.h"

static struct wl_decoder d;
static int64_t now;

/* As many at a time as there is room for. */
static void feed_bytes(const char *bytes, size_t n)
{
	while (n > 0) {
		size_t room;
		unsigned char *at = wl_decoder_room(&d, &room);
		struct wl_event e;

		assert_true(room > 0);
		if (room > n)
			room = n;
		memcpy(at, bytes, room);
		wl_decoder_add(&d, room);
		bytes += room;
		n -= room;
		if (n > 0)
			assert_false(wl_decoder_next(&d, now, &e));
	}
}

static void feed(const char *bytes)
{
	feed_bytes(bytes, strlen(bytes));
}

static void expect_key(const char *name)
{
	struct wl_event e;
	char buf[WL_KEY_NAME_BUF];

	assert_true(wl_decoder_next(&d, now, &e));
	assert_int_equal(e.kind, WL_EVENT_KEY);
	assert_string_equal(wl_key_name(e.key, buf), name);
}

static void expect_nothing(void)
{
	struct wl_event e;

	assert_false(wl_decoder_next(&d, now, &e));
}

static void expect_mouse(enum wl_mouse mouse, int button, int x, int y, uint32_t mods)
{
	struct wl_event e;

	assert_true(wl_decoder_next(&d, now, &e));
	assert_int_equal(e.kind, WL_EVENT_MOUSE);
	assert_int_equal(e.mouse, mouse);
	assert_int_equal(e.button, button);
	assert_int_equal(e.x, x);
	assert_int_equal(e.y, y);
	assert_int_equal(e.mods, mods);
}

static int begin(void **state)
{
	(void)state;
	wl_decoder_init(&d);
	now = 0;
	return 0;
}

static const struct {
	const char *bytes, *name;
} keys[] = {
	{ "q", "q" },
	{ "\xc3\xa9", "\xc3\xa9" },
	{ "\xf0\x9f\x98\x80", "\xf0\x9f\x98\x80" },
	{ " ", "Space" },
	{ "\t", "Tab" },
	{ "\r", "Enter" },
	{ "\n", "Enter" },
	{ "\177", "Backspace" },
	{ "\b", "Backspace" },
	{ "\001", "C-a" },
	{ "\003", "C-c" },
	{ "\024", "C-t" },
	{ "\032", "C-z" },
	{ "\034", "C-\\" },
	{ "\037", "C-_" },
	{ "\033x", "A-x" },
	{ "\033X\033\\\033x", "A-x" }, /* a string of its own before it */
	{ "\033\t", "A-Tab" },
	{ "\033\177", "A-Backspace" },
	{ "\033\001", "C-A-a" },
	{ "\033\xc3\xa9", "A-\xc3\xa9" },
	{ "\033[A", "Up" },
	{ "\033OB", "Down" },
	{ "\033[C", "Right" },
	{ "\033OD", "Left" },
	{ "\033[1;2D", "S-Left" },
	{ "\033[1;5C", "C-Right" },
	{ "\033[1;3A", "A-Up" },
	{ "\033[1;8B", "C-A-S-Down" },
	{ "\033O5C", "C-Right" },
	{ "\033[d", "S-Left" },
	{ "\033Oc", "C-Right" },
	{ "\033[Z", "BTab" },
	{ "\033[H", "Home" },
	{ "\033OF", "End" },
	{ "\033[1~", "Home" },
	{ "\033[4~", "End" },
	{ "\033[7~", "Home" },
	{ "\033[8~", "End" },
	{ "\033[2~", "Insert" },
	{ "\033[3~", "Delete" },
	{ "\033[5~", "PgUp" },
	{ "\033[6;5~", "C-PgDn" },
	{ "\033OP", "F1" },
	{ "\033[11~", "F1" },
	{ "\033[[A", "F1" },
	{ "\033[[E", "F5" },
	{ "\033[1;2Q", "S-F2" },
	{ "\033[15~", "F5" },
	{ "\033[17~", "F6" },
	{ "\033[21~", "F10" },
	{ "\033[24~", "F12" },
	{ "\033OM", "Enter" },
	{ "\033Ok", "+" },
	{ "\033Oy", "9" },
	{ "\033[97;5u", "C-a" },
	{ "\033[27;5;9~", "C-Tab" },
	{ "\033[13;3u", "A-Enter" },
};

TEST_WITH(each_sequence_is_its_key, begin, NULL)
{
	for (size_t i = 0; i < WL_COUNT(keys); i++) {
		feed(keys[i].bytes);
		expect_key(keys[i].name);
		expect_nothing();
		assert_int_equal(wl_decoder_patience(&d), 0);
	}
	feed_bytes("", 1);
	expect_key("C-Space");
}

TEST_WITH(bytes_may_come_one_by_one, begin, NULL)
{
	for (size_t i = 0; i < WL_COUNT(keys); i++) {
		size_t n = strlen(keys[i].bytes);

		for (size_t k = 0; k + 1 < n; k++) {
			feed_bytes(keys[i].bytes + k, 1);
			expect_nothing();
		}
		feed_bytes(keys[i].bytes + n - 1, 1);
		expect_key(keys[i].name);
		expect_nothing();
	}
}

TEST_WITH(esc_alone_is_a_key_after_a_while, begin, NULL)
{
	struct wl_event e;

	feed("\033");
	expect_nothing();
	assert_int_equal(wl_decoder_patience(&d), WL_ESC_DELAY);
	assert_true(wl_decoder_give_up(&d, now, &e));
	assert_int_equal(e.key, WL_KEY_ESC);
	assert_int_equal(wl_decoder_patience(&d), 0);
	feed("\033\033[A");
	expect_key("Esc");
	expect_key("Up");
	feed("\033[");
	expect_nothing();
	assert_true(wl_decoder_give_up(&d, now, &e));
	assert_int_equal(e.key, '[' | WL_MOD_ALT);
	feed("\033]");
	expect_nothing();
	assert_true(wl_decoder_give_up(&d, now, &e));
	assert_int_equal(e.key, ']' | WL_MOD_ALT);
	expect_nothing();
}

TEST_WITH(the_rest_of_a_cut_sequence_is_waited_for, begin, NULL)
{
	struct wl_event e;

	feed("\033[<64;1");
	expect_nothing();
	assert_int_equal(wl_decoder_patience(&d), WL_CUT_DELAY);
	assert_false(wl_decoder_give_up(&d, now, &e));
	assert_int_equal(wl_decoder_patience(&d), 0);
	feed("\xe4\xb8");
	expect_nothing();
	assert_false(wl_decoder_give_up(&d, now, &e));
	feed("q");
	expect_key("q");
}

TEST_WITH(what_is_unknown_is_swallowed_whole, begin, NULL)
{
	static const char *const unknown[] = {
		"\033[?1;2c",
		"\033[>41;366;0c",
		"\033[200~",
		"\033[99;9~",
		"\033[I",
		"\033[O",
		"\033[12;40$y",
		"\033[1:2;3A",
		"\033[0;0;0;0;0;0m",
		"\033]11;rgb:0/0/0\007",
		"\033]52;c;YQ==\033\\",
		"\033P1$r0m\033\\",
		"\033_Gi=31;OK\033\\",
		"\033OE",
		"\033[[Z",
		"\033[999999999999~",
		"\xff",
		"\x9b",
		"\xc2\x9b",
		"\xe4\xb8",
		"\033[<0;1M",
		"\033[<200;1;1M",
		"\033[<0;0;1M",
		"\033[<0;99999;1M",
		"\033[<35;4;4M",
		"\033[<66;4;4M",
		"\033[M\001!!",
		"\033[32;10;10M",
		"\033[18\030",
	};

	for (size_t i = 0; i < WL_COUNT(unknown); i++) {
		feed(unknown[i]);
		feed("q");
		if (i == WL_COUNT(unknown) - 1)
			expect_key("C-x"); /* a control ends the sequence, and is one itself */
		expect_key("q");
		expect_nothing();
	}
}

TEST_WITH(a_string_of_any_length_is_swallowed, begin, NULL)
{
	char part[1000];

	memset(part, 'q', sizeof(part));
	for (int round = 0; round < 2; round++) {
		feed("\033]52;");
		for (int i = 0; i < 50; i++) {
			feed_bytes(part, sizeof(part));
			expect_nothing();
		}
		feed("\033");
		expect_nothing();
		feed(round ? "\\z" : "[Az"); /* its end, or another sequence that cuts it off */
		if (round == 0)
			expect_key("Up");
		expect_key("z");
	}
	memset(part, '1', sizeof(part));
	feed("\033[");
	for (int i = 0; i < 50; i++) {
		feed_bytes(part, sizeof(part));
		expect_nothing();
	}
	feed("~z");
	expect_key("z");
}

TEST_WITH(the_mouse_speaks_two_languages, begin, NULL)
{
	feed("\033[<0;60;8M\033[<32;61;8M\033[<0;61;8m");
	expect_mouse(WL_MOUSE_PRESS, 1, 59, 7, 0);
	expect_mouse(WL_MOUSE_DRAG, 1, 60, 7, 0);
	expect_mouse(WL_MOUSE_RELEASE, 1, 60, 7, 0);
	feed("\033[<64;300;8M\033[<69;1;1M\033[<10;2;3M\033[<17;2;3M");
	expect_mouse(WL_MOUSE_WHEEL_UP, 0, 299, 7, 0);
	expect_mouse(WL_MOUSE_WHEEL_DOWN, 0, 0, 0, WL_MOD_SHIFT);
	expect_mouse(WL_MOUSE_PRESS, 3, 1, 2, WL_MOD_ALT);
	expect_mouse(WL_MOUSE_PRESS, 2, 1, 2, WL_MOD_CTRL);
	feed("\033[M\"[(\033[MB\\(\033[M#\\(\033[M`!!\033[M  !\033[Ma\xff\xff");
	expect_mouse(WL_MOUSE_PRESS, 3, 58, 7, 0);
	expect_mouse(WL_MOUSE_DRAG, 3, 59, 7, 0);
	expect_mouse(WL_MOUSE_RELEASE, 3, 59, 7, 0); /* which button, X10 does not say */
	expect_mouse(WL_MOUSE_WHEEL_UP, 0, 0, 0, 0);
	expect_mouse(WL_MOUSE_WHEEL_DOWN, 0, 222, 222, 0); /* after one at column 0: none */
	expect_nothing();
}

static int clicks_of(const char *bytes, int64_t at_ms)
{
	struct wl_event e;

	now = at_ms * 1000000;
	feed(bytes);
	assert_true(wl_decoder_next(&d, now, &e));
	return e.clicks;
}

TEST_WITH(two_presses_at_one_cell_are_a_double_click, begin, NULL)
{
	assert_int_equal(clicks_of("\033[<0;5;5M", 1000), 1);
	assert_int_equal(clicks_of("\033[<0;5;5m", 1050), 0);
	assert_int_equal(clicks_of("\033[<0;5;5M", 1400), 2);
	assert_int_equal(clicks_of("\033[<0;5;5M", 1450), 1); /* the third begins again */
	assert_int_equal(clicks_of("\033[<0;5;5M", 1851), 1); /* too late */
	assert_int_equal(clicks_of("\033[<0;6;5M", 1900), 1); /* elsewhere */
	assert_int_equal(clicks_of("\033[<2;6;5M", 1950), 1); /* another button */
	assert_int_equal(clicks_of("\033[<2;6;5M", 2000), 2);
}

/* Whatever comes, keys are keys, and all bytes are used up. */
TEST_WITH(any_bytes_are_taken, begin, NULL)
{
	static const char bias[] = "\033\033\033[[OM<;;01289~ABmM]P\\\007\xc3";
	uint64_t r = 7;

	for (int i = 0; i < 200000; i++) {
		char b = (char)random_below(&r, 256);
		struct wl_event e;

		if (random_below(&r, 2))
			b = bias[random_below(&r, sizeof(bias) - 1)];
		feed_bytes(&b, 1);
		while (wl_decoder_next(&d, now, &e)) {
			assert_true(e.kind == WL_EVENT_KEY || e.kind == WL_EVENT_MOUSE);
			if (e.kind == WL_EVENT_KEY)
				assert_int_equal(e.key, wl_key_make(e.key & 0xffffff, e.key));
		}
		if (random_below(&r, 50) == 0) {
			while (wl_decoder_give_up(&d, now, &e))
				;
			assert_int_equal(wl_decoder_patience(&d), 0);
		}
	}
}
