/* SPDX-License-Identifier: MIT */
#include "known/palette.h"

#include "base/attr.h"
#include "support/unit.h"

static const char *const causes[] = { "launch",   "sync",       "host",     "os",
				      "api",      "alloc",      "load",     "latency",
				      "dispatch", "dependency", "profiler", "unknown",
				      "unused",   "managed",    "mpi",      "callback" };
static const char *const classes[] = { "compute", "exposed_comm", "exposed_copy", "idle" };

static bool same(struct wl_swatch a, struct wl_swatch b)
{
	return a.colour == b.colour && a.hatch == b.hatch;
}

static void expect_distinct(const char *const *words, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		for (size_t k = 0; k < i; k++) {
			if (same(wl_swatch_of(words[i], 0), wl_swatch_of(words[k], 0)))
				fail_msg("%s is drawn like %s", words[i], words[k]);
		}
	}
}

TEST(words_of_one_picture_differ)
{
	expect_distinct(causes, WL_COUNT(causes));
	expect_distinct(classes, WL_COUNT(classes));
}

TEST(unknown_words_differ_by_their_place)
{
	assert_int_equal(wl_swatch_of("no such word", 3).colour, WL_COLOUR_OTHER);
	assert_false(same(wl_swatch_of("x", 3), wl_swatch_of("x", 4)));
}

/* As the table of colours in the design has it: white on the darkest, black on the others. */
TEST(text_is_readable_on_every_colour)
{
	assert_int_equal(wl_colour_text(WL_COLOUR_GEMM, false), 0xFFFFFF);
	assert_int_equal(wl_colour_text(WL_COLOUR_COMM, false), 0x000000);
	assert_int_equal(wl_colour_text(WL_COLOUR_COPY, true), 0x000000);
	assert_int_equal(wl_colour_text(WL_COLOUR_NEUTRAL, false), 0xFFFFFF);
	assert_int_equal(wl_colour_text(WL_COLOUR_NEUTRAL, true), 0x000000);
}

/* Green has most of what is light to the eye. */
TEST(inks_of_heat_maps_go_from_the_page_to_its_text)
{
	for (unsigned i = 1; i < WL_N_HEATS; i++) {
		assert_true((wl_heat_rgb(i, false) >> 8 & 0xff) <
			    (wl_heat_rgb(i - 1, false) >> 8 & 0xff));
		assert_true((wl_heat_rgb(i, true) >> 8 & 0xff) >
			    (wl_heat_rgb(i - 1, true) >> 8 & 0xff));
	}
	assert_int_equal(wl_heat_text(0, false), 0x000000);
	assert_int_equal(wl_heat_text(WL_N_HEATS - 1, false), 0xFFFFFF);
	assert_int_equal(wl_heat_text(WL_N_HEATS - 1, true), 0x000000);
}
