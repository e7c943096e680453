/* SPDX-License-Identifier: MIT */
#include "tui/term/screen.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory/vec.h"
#include "support/unit.h"
#include "tui/term/dump.h"
#include "tui/term/glyph.h"

static struct wl_budget budget;

static struct wl_screen make(int cols, int rows)
{
	struct wl_screen s;

	wl_screen_init(&s, &budget);
	assert_true(wl_screen_resize(&s, cols, rows));
	return s;
}

/* The whole screen, every line as wide as it is. */
static void expect(const struct wl_screen *s, const char *want)
{
	WITH(struct wl_vec, out, wl_vec_release, wl_vec_init(&out, 1, &budget));

	wl_dump_cells(s, &out);
	wl_vec_push(&out, "");
	assert_false(out.failed);
	assert_string_equal(out.data, want);
}

TEST(text_is_cut_by_cells)
{
	struct wl_screen s = make(6, 1);

	assert_int_equal(wl_screen_text(&s, 1, 0, 4, WL_STYLE_PLAIN, "a\xc3\xa9\xe2\x96\x88zzz"),
			 4);
	expect(&s, " a\xc3\xa9\xe2\x96\x88z \n");
	assert_int_equal(wl_screen_text(&s, 0, 0, 6, WL_STYLE_PLAIN, "xy"), 2);
	assert_int_equal(wl_screen_text(&s, 0, 0, 0, WL_STYLE_PLAIN, "no"), 0);
	assert_int_equal(wl_screen_text(&s, 0, 0, -3, WL_STYLE_PLAIN, "no"), 0);
	assert_int_equal(wl_screen_print(&s, 2, 0, 3, WL_STYLE_PLAIN, "%d%%", 42), 3);
	expect(&s, "xy42% \n");
	wl_screen_release(&s);
}

TEST(nothing_is_drawn_outside)
{
	struct wl_screen s = make(3, 2);

	wl_screen_put(&s, -1, 0, 'X', WL_STYLE_PLAIN);
	wl_screen_put(&s, 3, 0, 'X', WL_STYLE_PLAIN);
	wl_screen_put(&s, 0, -1, 'X', WL_STYLE_PLAIN);
	wl_screen_put(&s, 0, 2, 'X', WL_STYLE_PLAIN);
	wl_screen_put(&s, INT_MAX, INT_MIN, 0x4e00, WL_STYLE_PLAIN);
	assert_int_equal(wl_screen_text(&s, INT_MAX, 1, INT_MAX, WL_STYLE_PLAIN, "text"), 4);
	assert_int_equal(wl_screen_label(&s, INT_MAX, 1, 3, WL_STYLE_PLAIN, "text"), 3);
	assert_int_equal(wl_screen_text(&s, INT_MIN, 1, INT_MAX, WL_STYLE_PLAIN, "text"), 4);
	wl_screen_fill(&s, INT_MAX, INT_MAX, INT_MAX, INT_MAX, WL_STYLE_PLAIN);
	wl_screen_fill(&s, INT_MIN, INT_MIN, 1, 1, WL_STYLE_PLAIN);
	wl_screen_mark(&s, INT_MIN, 0, INT_MAX, WL_ATTR_BOLD);
	wl_screen_mark(&s, 0, 7, 3, WL_ATTR_BOLD);
	expect(&s, "   \n   \n");
	/* What begins before the first cell goes on in it. */
	assert_int_equal(wl_screen_text(&s, -2, 0, 9, WL_STYLE_PLAIN, "abcdefg"), 7);
	wl_screen_fill(&s, -5, 1, 100, 100, (struct wl_style){ WL_INK_DIM, WL_INK_ALERT, 0 });
	expect(&s, "cde\n   \n");
	assert_int_equal(wl_screen_at(&s, 2, 1)->style.bg, WL_INK_ALERT);
	assert_int_equal(wl_screen_at(&s, 2, 0)->style.bg, WL_INK_DEFAULT);
	wl_screen_release(&s);
}

TEST(an_empty_screen_takes_everything)
{
	struct wl_screen s;

	wl_screen_init(&s, &budget);
	wl_screen_clear(&s);
	wl_screen_put(&s, 0, 0, 'X', WL_STYLE_PLAIN);
	(void)wl_screen_text(&s, 0, 0, 5, WL_STYLE_PLAIN, "text");
	wl_screen_fill(&s, 0, 0, 5, 5, WL_STYLE_PLAIN);
	wl_screen_mark(&s, 0, 0, 5, WL_ATTR_BOLD);
	expect(&s, "");
	wl_screen_release(&s);
	wl_screen_release(&s);
}

/* No byte of hostile text reaches the terminal as a command. */
TEST(hostile_text_becomes_harmless)
{
	static const struct {
		const char *text, *want;
	} cases[] = {
		{ "a\033[31mb", "a\xef\xbf\xbd[31mb  \n" },
		{ "\xc2\x9b"
		  "2J",
		  "\xef\xbf\xbd"
		  "2J      \n" }, /* C1 CSI */
		{ "a\tb\nc\rd", "a\xef\xbf\xbd"
				"b\xef\xbf\xbd"
				"c\xef\xbf\xbd"
				"d  \n" },
		{ "\x7f", "\xef\xbf\xbd        \n" },
		{ "a\xe2\x80\xaez\xe2\x80\xac",
		  "a\xef\xbf\xbdz\xef\xbf\xbd     \n" }, /* override */
		{ "a\xe2\x81\xa6z\xe2\x81\xa9", "a\xef\xbf\xbdz\xef\xbf\xbd     \n" }, /* isolate */
		{ "a\xe2\x80\xa8z", "a\xef\xbf\xbdz      \n" }, /* separator */
		{ "e\xcc\x81x", "ex       \n" },                /* combining */
		{ "a\xe2\x80\x8d"
		  "b",
		  "ab       \n" }, /* joiner */
		{ "a\xff\xfe"
		  "b",
		  "a\xef\xbf\xbd\xef\xbf\xbd"
		  "b     \n" },                                                     /* invalid */
		{ "a\xe4\xb8", "a\xef\xbf\xbd       \n" },                          /* cut */
		{ "\xed\xa0\x80", "\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd      \n" }, /* surrogate */
	};

	for (size_t i = 0; i < WL_COUNT(cases); i++) {
		struct wl_screen s = make(9, 1);

		(void)wl_screen_text(&s, 0, 0, 9, WL_STYLE_PLAIN, cases[i].text);
		expect(&s, cases[i].want);
		wl_screen_release(&s);
	}
}

TEST(every_code_point_is_tamed)
{
	struct wl_screen s = make(3, 1);

	for (uint32_t cp = 0; cp <= 0x110010; cp++) {
		uint32_t left;

		wl_screen_clear(&s);
		wl_screen_put(&s, 0, 0, cp, WL_STYLE_PLAIN);
		left = wl_screen_at(&s, 0, 0)->cp;
		assert_true(left >= ' ' && (left < 0x7f || left > 0x9f) && left <= 0x10ffff);
		assert_int_equal(wl_screen_at(&s, 2, 0)->cp, ' ');
	}
	s.caps.ascii = true;
	for (uint32_t cp = 0; cp <= 0x110010; cp++) {
		wl_screen_put(&s, 0, 0, cp, WL_STYLE_PLAIN);
		for (int x = 0; x < 3; x++) {
			uint32_t at = wl_screen_at(&s, x, 0)->cp;

			assert_true(at >= ' ' && at < 0x7f);
		}
	}
	wl_screen_release(&s);
}

TEST(long_text_costs_no_more_than_its_length)
{
	struct wl_screen s = make(10, 1);
	char *text = malloc(65537);

	assert_non_null(text);
	memset(text, 'a', 65536);
	text[65536] = '\0';
	assert_int_equal(wl_screen_text(&s, 0, 0, 10, WL_STYLE_PLAIN, text), 10);
	assert_int_equal(wl_screen_print(&s, -2000, 0, 5000, WL_STYLE_PLAIN, "%s", text), 1023);
	assert_int_equal(wl_screen_label(&s, 0, 0, 10, WL_STYLE_PLAIN, text), 10);
	expect(&s, "aaaaaaaaa\xe2\x80\xa6\n");
	free(text);
	wl_screen_release(&s);
}

TEST(a_wide_character_fits_whole_or_not_at_all)
{
	struct wl_screen s = make(5, 1);

	wl_screen_put(&s, 4, 0, 0x4e00, WL_STYLE_PLAIN);
	wl_screen_put(&s, -1, 0, 0x4e00, WL_STYLE_PLAIN);
	expect(&s, "     \n");
	assert_int_equal(wl_screen_text(&s, 1, 0, 3, WL_STYLE_PLAIN, "\xe4\xb8\x80\xe4\xb8\x80"),
			 2);
	expect(&s, " \xe4\xb8\x80  \n");
	assert_int_equal(wl_screen_at(&s, 2, 0)->cp, 0);
	wl_screen_release(&s);
}

TEST(half_a_wide_character_does_not_stay)
{
	struct wl_screen s = make(6, 1);

	(void)wl_screen_text(&s, 0, 0, 6, WL_STYLE_PLAIN, "\xe4\xb8\x80\xe4\xb8\x80\xe4\xb8\x80");
	wl_screen_put(&s, 1, 0, 'b', WL_STYLE_PLAIN);
	wl_screen_put(&s, 2, 0, 'c', WL_STYLE_PLAIN);
	expect(&s, " bc \xe4\xb8\x80\n");
	wl_screen_put(&s, 3, 0, 0x4e8c, WL_STYLE_PLAIN);
	expect(&s, " bc\xe4\xba\x8c \n");
	wl_screen_fill(&s, 4, 0, 1, 1, WL_STYLE_PLAIN);
	expect(&s, " bc   \n");
	wl_screen_release(&s);
}

TEST(a_mark_takes_both_halves)
{
	struct wl_screen s = make(6, 1);

	(void)wl_screen_text(&s, 0, 0, 6, WL_STYLE_PLAIN, "\xe4\xb8\x80\xe4\xb8\x80x");
	wl_screen_mark(&s, 1, 0, 2, WL_ATTR_REVERSE);
	for (int x = 0; x < 6; x++)
		assert_int_equal(wl_screen_at(&s, x, 0)->style.attrs, x < 4 ? WL_ATTR_REVERSE : 0);
	wl_screen_mark(&s, 3, 0, 99, WL_ATTR_BOLD);
	assert_int_equal(wl_screen_at(&s, 2, 0)->style.attrs, WL_ATTR_BOLD | WL_ATTR_REVERSE);
	assert_int_equal(wl_screen_at(&s, 5, 0)->style.attrs, WL_ATTR_BOLD);
	wl_screen_release(&s);
}

TEST(a_label_says_that_it_is_cut)
{
	struct wl_screen s = make(5, 1);

	assert_int_equal(wl_screen_label(&s, 0, 0, 5, WL_STYLE_PLAIN, "abcde"), 5);
	expect(&s, "abcde\n");
	assert_int_equal(wl_screen_label(&s, 0, 0, 4, WL_STYLE_PLAIN, "vwxyz"), 4);
	expect(&s, "vwx\xe2\x80\xa6"
		   "e\n");
	assert_int_equal(wl_screen_label(&s, 0, 0, 1, WL_STYLE_PLAIN, "vw"), 1);
	/* A wide character that would be cut leaves its place to the ellipsis. */
	wl_screen_clear(&s);
	assert_int_equal(wl_screen_label(&s, 0, 0, 3, WL_STYLE_PLAIN, "a\xe4\xb8\x80\xe4\xb8\x80"),
			 2);
	expect(&s, "a\xe2\x80\xa6   \n");
	s.caps.ascii = true;
	assert_int_equal(wl_screen_label(&s, 0, 0, 3, WL_STYLE_PLAIN, "vwxyz"), 3);
	expect(&s, "vw~  \n");
	wl_screen_release(&s);
}

TEST(ascii_has_a_substitute_for_each_glyph)
{
	static const char glyphs[] = "█▓▒░▌▐▁▂▃▄▅▆▇─│┌┐└┘├┤═▸▾◆◀▲▼›…↧×·✓µμ←→↑↓⇧■Δ";
	static const char want[] = "#=-.++_.:~=+*-|++++++=>v*<^v>~vx.yuu<>^v^#d";
	struct wl_screen s = make((int)strlen(want), 1);
	struct wl_vec out;

	s.caps.ascii = true;
	assert_int_equal(wl_screen_text(&s, 0, 0, 99, WL_STYLE_PLAIN, glyphs), strlen(want));
	wl_vec_init(&out, 1, &budget);
	wl_dump_text(&s, &out);
	assert_int_equal(out.n, strlen(want) + 1);
	assert_memory_equal(out.data, want, strlen(want));
	wl_vec_release(&out);
	wl_screen_clear(&s);
	assert_int_equal(wl_screen_text(&s, 0, 0, 99, WL_STYLE_PLAIN, "\xc3\xa9\xe4\xb8\x80."), 4);
	assert_int_equal(wl_screen_at(&s, 2, 0)->cp, '?');
	assert_int_equal(wl_screen_at(&s, 3, 0)->cp, '.');
	assert_int_equal(wl_glyph_ascii('~'), '~');
	wl_screen_release(&s);
}

TEST(another_size_is_blank)
{
	struct wl_screen s = make(4, 2);
	size_t cap = s.cap;

	(void)wl_screen_text(&s, 0, 1, 4, WL_STYLE_PLAIN, "text");
	s.cursor_x = s.cursor_y = 1;
	assert_true(wl_screen_resize(&s, 2, 3));
	expect(&s, "  \n  \n  \n");
	assert_int_equal(s.cursor_x, -1);
	assert_int_equal(s.cap, cap); /* smaller ones allocate nothing */
	assert_true(wl_screen_resize(&s, -3, 5));
	expect(&s, "\n\n\n\n\n");
	assert_true(wl_screen_resize(&s, 1000000, 1));
	assert_int_equal(s.cols, WL_SCREEN_MAX);
	wl_screen_release(&s);
	assert_int_equal(budget.used, 0);
}

TEST(without_memory_there_is_no_screen)
{
	struct wl_budget small = { .limit = 100 * sizeof(struct wl_screen_cell) };
	struct wl_screen s;

	wl_screen_init(&s, &small);
	assert_true(wl_screen_resize(&s, 10, 10));
	assert_false(wl_screen_resize(&s, 11, 10));
	assert_int_equal(s.cols, 0);
	assert_int_equal(s.rows, 0);
	(void)wl_screen_text(&s, 0, 0, 5, WL_STYLE_PLAIN, "text");
	assert_true(wl_screen_resize(&s, 10, 10));
	wl_screen_release(&s);
	assert_int_equal(small.used, 0);
}
