/* SPDX-License-Identifier: MIT */
#include "render/chart/strip.h"

#include <stdlib.h>
#include <string.h>

#include "support/unit.h"

static char *text_of(const struct wl_strip *strip)
{
	char *text = NULL;
	size_t n;
	FILE *out = open_memstream(&text, &n);

	assert_non_null(out);
	wl_strip_put(strip, out);
	assert_int_equal(fclose(out), 0);
	return text;
}

static size_t count(const char *text, const char *words)
{
	size_t n = 0;

	for (text = strstr(text, words); text; text = strstr(text + 1, words))
		n++;
	return n;
}

/* In a page it has no colour, font or ground of its own; a colour of a row is one path. */
TEST(a_strip_of_a_page_has_its_colours)
{
	static const struct wl_strip_column column[] = {
		{ WL_COLOUR_GEMM, 255 },
		{ WL_COLOUR_GEMM, 255 },
		{ WL_COLOUR_COMM, 51 },
		{ WL_COLOUR_GEMM, 1 },
	};
	const struct wl_strip_row row = { "</svg><b>", column };
	const struct wl_strip strip = { "a & b", "0 s", "1 s", 4, &row, 1 };
	FREED char *text = NULL;
	size_t n;
	FILE *out = open_memstream(&text, &n);

	assert_non_null(out);
	wl_strip_put_in_page(&strip, out);
	assert_int_equal(fclose(out), 0);
	assert_null(strstr(text, "fill="));
	assert_null(strstr(text, "font"));
	assert_int_equal(count(text, "<path class=\"f0\""), 1);
	assert_int_equal(count(text, "<path class=\"f3\""), 1);
	/* All of 16 pixels, two columns; a fifth; what is nearly nothing is still seen. */
	assert_non_null(strstr(text, "d=\"M132 0.0h2v16.0h-2zM135 15.0h1v1.0h-1z\""));
	assert_non_null(strstr(text, "d=\"M134 12.8h1v3.2h-1z\""));
	assert_non_null(strstr(text, "<title>a &amp; b</title>"));
	assert_int_equal(count(text, "</svg>"), 1);
	assert_null(strstr(text, "<b>"));
}

TEST(equal_neighbours_are_one_shape)
{
	static const struct wl_strip_column column[] = {
		{ WL_COLOUR_GEMM, 255 },
		{ WL_COLOUR_GEMM, 255 },
		{ WL_COLOUR_GEMM, 51 },
		{ WL_COLOUR_COMM, 51 },
		{ 0, 0 },
		{ WL_COLOUR_GEMM, 1 },
	};
	const struct wl_strip_row row = { "Stream 7", column };
	const struct wl_strip strip = { "view", "0 s", "1 s", 6, &row, 1 };
	FREED char *text = text_of(&strip);

	/* One more of each in the legend. */
	assert_int_equal(count(text, "fill=\"#0072B2\""), 4);
	assert_int_equal(count(text, "fill=\"#D55E00\""), 2);
	assert_non_null(strstr(text, ">communication</text>"));
	assert_null(strstr(text, ">attention</text>"));
	/* All of it; a fifth of 16 pixels; what is nearly nothing is still seen. */
	assert_non_null(strstr(text, "x=\"180\" y=\"28.0\" width=\"2\" height=\"16.0\""));
	assert_non_null(strstr(text, "x=\"182\" y=\"40.8\" width=\"1\" height=\"3.2\""));
	assert_non_null(strstr(text, "x=\"185\" y=\"43.0\" width=\"1\" height=\"1.0\""));
	assert_non_null(strstr(text, ">Stream 7</text>"));
	assert_non_null(strstr(text, ">1 s</text>"));
}

TEST(names_stay_text)
{
	static const struct wl_strip_column column[] = { { 0, 0 } };
	const struct wl_strip_row row = { "<script>&\"\x1b[31m", column };
	const struct wl_strip strip = { "a<b>", "0 s", "1 s", 1, &row, 1 };
	FREED char *text = text_of(&strip);

	assert_null(strstr(text, "<script"));
	assert_null(strstr(text, "<b>"));
	assert_null(strchr(text, 27));
	assert_non_null(strstr(text, "&lt;script&gt;&amp;"));
}

TEST(no_rows_are_a_picture_too)
{
	const struct wl_strip strip = { "view", "0 s", "0 s", 10, NULL, 0 };
	FREED char *text = text_of(&strip);

	assert_int_equal(strncmp(text, "<svg ", 5), 0);
	assert_non_null(strstr(text, "</svg>\n"));
}
