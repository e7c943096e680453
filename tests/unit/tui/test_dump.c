/* SPDX-License-Identifier: MIT */
#include "tui/term/dump.h"

#include <string.h>

#include "support/unit.h"

static struct wl_budget budget;

static struct wl_screen make(void)
{
	static const struct wl_style gemm = { WL_COLOUR_GEMM, WL_INK_DEFAULT, 0 };
	static const struct wl_style both = { WL_COLOUR_COMM, WL_COLOUR_COPY, 0 };
	static const struct wl_style alert = { WL_INK_ALERT, WL_INK_DEFAULT, WL_ATTR_UNDERLINE };
	struct wl_screen s;

	wl_screen_init(&s, &budget);
	assert_true(wl_screen_resize(&s, 5, 3));
	(void)wl_screen_text(&s, 0, 0, 5, WL_STYLE_PLAIN, "a\xe4\xb8\x80");
	(void)wl_screen_text(&s, 1, 1, 5, gemm, "\xe2\x96\x88\xe2\x96\x88");
	wl_screen_put(&s, 3, 1, 0x258c, both);
	(void)wl_screen_text(&s, 0, 2, 5, alert, "hello");
	wl_screen_mark(&s, 0, 2, 1, WL_ATTR_REVERSE);
	return s;
}

static void expect(struct wl_vec *out, const char *want)
{
	wl_vec_push(out, "");
	assert_false(out->failed);
	assert_string_equal(out->data, want);
	wl_vec_release(out);
}

TEST(text_has_no_blanks_at_the_end)
{
	struct wl_screen s = make();
	struct wl_vec out;

	wl_vec_init(&out, 1, &budget);
	wl_dump_text(&s, &out);
	expect(&out, "a\xe4\xb8\x80\n \xe2\x96\x88\xe2\x96\x88\xe2\x96\x8c\nhello\n");
	wl_screen_release(&s);
}

TEST(cells_are_as_wide_as_the_screen)
{
	struct wl_screen s = make();
	struct wl_vec out;

	wl_vec_init(&out, 1, &budget);
	wl_dump_cells(&s, &out);
	expect(&out, "a\xe4\xb8\x80  \n \xe2\x96\x88\xe2\x96\x88\xe2\x96\x8c \nhello\n");
	wl_screen_release(&s);
}

/* A line begins and ends with the terminal's own colours, and sets one where it changes. */
TEST(ansi_sets_colours_where_they_change)
{
	static const char *const want[] = {
		[WL_DEPTH_MONO] = "a\xe4\xb8\x80  \n"
				  " \xe2\x96\x88\xe2\x96\x88\xe2\x96\x8c \n"
				  "\033[0;1;4;7mh\033[0;1;4mello\033[0m\n",
		[WL_DEPTH_8] = "a\xe4\xb8\x80  \n"
			       " \033[0;1;34m\xe2\x96\x88\xe2\x96\x88"
			       "\033[0;31;43m\xe2\x96\x8c\033[0m \n"
			       "\033[0;1;4;7;31mh\033[0;1;4;31mello\033[0m\n",
		[WL_DEPTH_16] = "a\xe4\xb8\x80  \n"
				" \033[0;94m\xe2\x96\x88\xe2\x96\x88"
				"\033[0;31;103m\xe2\x96\x8c\033[0m \n"
				"\033[0;4;7;91mh\033[0;4;91mello\033[0m\n",
		[WL_DEPTH_256] = "a\xe4\xb8\x80  \n"
				 " \033[0;38;5;32m\xe2\x96\x88\xe2\x96\x88"
				 "\033[0;38;5;166;48;5;227m\xe2\x96\x8c\033[0m \n"
				 "\033[0;4;7;38;5;203mh\033[0;4;38;5;203mello\033[0m\n",
		[WL_DEPTH_RGB] = "a\xe4\xb8\x80  \n"
				 " \033[0;38;2;0;114;178m\xe2\x96\x88\xe2\x96\x88"
				 "\033[0;38;2;213;94;0;48;2;240;228;66m\xe2\x96\x8c\033[0m \n"
				 "\033[0;4;7;38;2;255;95;95mh\033[0;4;38;2;255;95;95mello\033[0m\n",
	};
	struct wl_screen s = make();

	for (int depth = WL_DEPTH_MONO; depth <= WL_DEPTH_RGB; depth++) {
		struct wl_vec out;

		wl_vec_init(&out, 1, &budget);
		wl_dump_ansi(&s, (enum wl_depth)depth, &out);
		expect(&out, want[depth]);
	}
	wl_screen_release(&s);
}

/* VIEWER colours: the same category has the same colour everywhere. */
TEST(inks_have_the_colours_of_the_palette)
{
	static const int of_256[] = { 32, 214, 36, 166, 227, 74, 175, 252 };
	static const int of_16[] = { 12, 3, 2, 1, 11, 14, 5, 7 };

	for (int ink = 0; ink < WL_N_COLOURS; ink++) {
		struct wl_style style = { (uint8_t)ink, (uint8_t)ink, 0 };
		struct wl_pen pen = wl_ink_pen(style, WL_DEPTH_RGB, false);

		assert_int_equal(wl_ink_pen(style, WL_DEPTH_256, false).fg, of_256[ink]);
		assert_int_equal(wl_ink_pen(style, WL_DEPTH_16, false).bg, of_16[ink]);
		assert_int_equal(wl_ink_pen(style, WL_DEPTH_MONO, false).fg, WL_PEN_OWN);
		assert_int_equal(pen.fg, wl_colour_rgb((enum wl_colour)ink, true));
		pen = wl_ink_pen(style, WL_DEPTH_8, false);
		assert_true(pen.fg < 8 && pen.bg < 8);
		assert_int_equal(pen.attrs, of_16[ink] > 7 ? WL_ATTR_BOLD : 0);
	}
}

TEST(a_light_background_has_a_dark_neutral)
{
	static const struct wl_style neutral = { WL_INK_NEUTRAL, WL_INK_DEFAULT, 0 };

	assert_int_equal(wl_ink_pen(neutral, WL_DEPTH_256, true).fg, 240);
	assert_int_equal(wl_ink_pen(neutral, WL_DEPTH_16, true).fg, WL_PEN_OWN);
	assert_int_equal(wl_ink_pen(neutral, WL_DEPTH_RGB, true).fg, 0x4C566A);
	assert_int_equal(wl_ink_pen(neutral, WL_DEPTH_256, true).bg, WL_PEN_OWN);
}

TEST(an_ink_that_is_none_is_the_default)
{
	struct wl_pen pen = wl_ink_pen((struct wl_style){ 255, 200, 0 }, WL_DEPTH_256, false);

	assert_int_equal(pen.fg, WL_PEN_OWN);
	assert_int_equal(pen.bg, WL_PEN_OWN);
}

TEST(without_memory_the_dump_fails)
{
	struct wl_budget small = { .limit = 8 };
	struct wl_screen s = make();
	struct wl_vec out;

	wl_vec_init(&out, 1, &small);
	wl_dump_ansi(&s, WL_DEPTH_256, &out);
	assert_true(out.failed);
	wl_vec_release(&out);
	wl_screen_release(&s);
}
