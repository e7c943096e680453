/* SPDX-License-Identifier: MIT */
#include "tui/timeline/timeline_parts.h"

#include "known/glyphs.h"
#include "support/unit.h"

static const struct wl_look_caps rich = { .colourful = true };
static const struct wl_look_caps ascii = { .colourful = true, .ascii = true };
static const struct wl_look_caps mono = { .colourful = false };
static const struct wl_look_caps plain = { .colourful = false, .ascii = true };

static struct wl_picture_column column(enum wl_colour cat, uint8_t share)
{
	return (struct wl_picture_column){ (uint8_t)cat, share };
}

static const struct wl_picture_column idle;

static void expect(struct wl_chart_cell cell, uint32_t cp, int fg, int bg)
{
	assert_int_equal(cell.cp, cp);
	assert_int_equal(cell.style.fg, fg);
	assert_int_equal(cell.style.bg, bg);
}

TEST(an_idle_cell_is_blank)
{
	assert_int_equal(wl_cell_of(idle, idle, rich).cp, 0);
	assert_int_equal(wl_cell_of(idle, idle, plain).cp, 0);
	assert_int_equal(wl_gap_cell_of(idle, idle, rich).cp, 0);
}

TEST(a_level_is_as_high_as_the_mean)
{
	assert_int_equal(wl_level_cell_of(idle, idle, rich).cp, 0);
	expect(wl_level_cell_of(column(0, 1), column(0, 1), rich), '_', WL_INK_DIM, WL_INK_DEFAULT);
	expect(wl_level_cell_of(column(0, 255), column(0, 255), rich), 0x2588, WL_COLOUR_OTHER,
	       WL_INK_DEFAULT);
	expect(wl_level_cell_of(column(0, 255), column(0, 1), mono), 0x2584, WL_INK_DEFAULT,
	       WL_INK_DEFAULT);
	/* Half of the cell is not sampled: the other half counts. */
	expect(wl_level_cell_of(idle, column(0, 255), rich), 0x2588, WL_COLOUR_OTHER,
	       WL_INK_DEFAULT);
}

TEST(one_busy_half_is_a_half_block)
{
	expect(wl_cell_of(column(WL_COLOUR_COMM, 102), idle, rich), 0x258C, WL_COLOUR_COMM,
	       WL_INK_DEFAULT);
	expect(wl_cell_of(idle, column(WL_COLOUR_GEMM, 255), rich), 0x2590, WL_COLOUR_GEMM,
	       WL_INK_DEFAULT);
}

TEST(two_categories_share_the_cell)
{
	expect(wl_cell_of(column(WL_COLOUR_GEMM, 9), column(WL_COLOUR_COPY, 200), rich), 0x258C,
	       WL_COLOUR_GEMM, WL_COLOUR_COPY);
	expect(wl_cell_of(column(WL_COLOUR_GEMM, 9), column(WL_COLOUR_COPY, 200), ascii), '+',
	       WL_COLOUR_GEMM, WL_COLOUR_COPY);
}

TEST(shades_are_thirds_of_the_mean_share)
{
	expect(wl_cell_of(column(WL_COLOUR_GEMM, 170), column(WL_COLOUR_GEMM, 170), rich), 0x2588,
	       WL_COLOUR_GEMM, WL_INK_DEFAULT);
	expect(wl_cell_of(column(WL_COLOUR_GEMM, 255), column(WL_COLOUR_GEMM, 84), rich), 0x2593,
	       WL_COLOUR_GEMM, WL_INK_DEFAULT);
	expect(wl_cell_of(column(WL_COLOUR_GEMM, 85), column(WL_COLOUR_GEMM, 85), rich), 0x2593,
	       WL_COLOUR_GEMM, WL_INK_DEFAULT);
	expect(wl_cell_of(column(WL_COLOUR_GEMM, 60), column(WL_COLOUR_GEMM, 60), rich), 0x2592,
	       WL_COLOUR_GEMM, WL_INK_DEFAULT);
	expect(wl_cell_of(column(WL_COLOUR_GEMM, 60), column(WL_COLOUR_GEMM, 60), ascii), '-',
	       WL_COLOUR_GEMM, WL_INK_DEFAULT);
	expect(wl_cell_of(column(WL_COLOUR_GEMM, 255), idle, ascii), '=', WL_COLOUR_GEMM,
	       WL_INK_DEFAULT);
}

/* 3% busy is an eighth high and 19% two; a solid block would say that the GPU is full. */
TEST(a_sparse_cell_is_as_low_as_it_is_busy)
{
	struct wl_picture_column low = column(WL_COLOUR_GEMM, 8),
				 higher = column(WL_COLOUR_GEMM, 50);

	expect(wl_cell_of(low, low, mono), 0x2581, WL_INK_DEFAULT, WL_INK_DEFAULT);
	expect(wl_cell_of(low, low, plain), '.', WL_INK_DEFAULT, WL_INK_DEFAULT);
	expect(wl_cell_of(low, low, rich), 0x2581, WL_COLOUR_GEMM, WL_INK_DEFAULT);
	expect(wl_cell_of(idle, low, rich), 0x2581, WL_COLOUR_GEMM, WL_INK_DEFAULT);
	expect(wl_cell_of(higher, higher, mono), 0x2582, WL_INK_DEFAULT, WL_INK_DEFAULT);
}

TEST(without_colours_the_glyph_is_the_stronger_category)
{
	expect(wl_cell_of(column(WL_COLOUR_ATTENTION, 90), column(WL_COLOUR_COMM, 80), mono),
	       0x2593, WL_INK_DEFAULT, WL_INK_DEFAULT);
	expect(wl_cell_of(column(WL_COLOUR_ATTENTION, 80), column(WL_COLOUR_COMM, 90), mono), '#',
	       WL_INK_DEFAULT, WL_INK_DEFAULT);
	expect(wl_cell_of(idle, column(WL_COLOUR_OTHER, 190), plain), ':', WL_INK_DEFAULT,
	       WL_INK_DEFAULT);
}

TEST(mono_glyphs_differ)
{
	for (int a = 0; a < WL_N_COLOURS; a++)
		for (int b = 0; b < a; b++) {
			struct wl_picture_column of_a = column((enum wl_colour)a, 99);
			struct wl_picture_column of_b = column((enum wl_colour)b, 99);

			assert_int_not_equal(wl_cell_of(of_a, of_a, mono).cp,
					     wl_cell_of(of_b, of_b, mono).cp);
			assert_int_not_equal(wl_cell_of(of_a, of_a, plain).cp,
					     wl_cell_of(of_b, of_b, plain).cp);
		}
}

TEST(strips_have_eight_steps_and_show_any_share)
{
	assert_int_equal(wl_level_glyph(0, false), ' ');
	assert_int_equal(wl_level_glyph(0.0001, false), 0x2581);
	assert_int_equal(wl_level_glyph(0.5, false), 0x2584);
	assert_int_equal(wl_level_glyph(1, false), 0x2588);
	assert_int_equal(wl_level_glyph(1.1, false), 0x2588);
	assert_int_equal(wl_level_glyph(1, true), '#');
	assert_int_equal(wl_level_glyph(0.0001, true), '.');
}

/* ---- Ticks ---- */

static void expect_ticks(wl_ns begin, wl_ns end, wl_ns step, const char *unit, wl_ns base)
{
	struct wl_ticks ticks = wl_ticks_of(begin, end, 70, 7);

	assert_int_equal(ticks.step, step);
	assert_string_equal(ticks.unit_name, unit);
	assert_int_equal(ticks.base, base);
}

TEST(ticks_are_round_and_not_too_near)
{
	expect_ticks(0, 69000000, 10000000, "ms", 0);
	expect_ticks(0, 50000000, 10000000, "ms", 0);
	expect_ticks(0, 150000000000, 20000000000, "s", 0);
	expect_ticks(0, 20, 5, "ns", 0);
	expect_ticks(0, 1, 1, "ns", 0);
}

TEST(what_labels_share_is_the_base)
{
	expect_ticks(1026000000, 1091000000, 10000000, "ms", 1000000000);
	expect_ticks(1026412188, 1026482188, 10000, "us", 1026000000);
	expect_ticks(-5000, -4900, 20, "ns", -5000);
}

TEST(labels_of_one_ruler_differ)
{
	for (wl_ns span = 1; span < (wl_ns)1 << 60; span *= 3)
		for (int cells = 20; cells < 400; cells += 93) {
			struct wl_ticks ticks =
				wl_ticks_of(12345678901, 12345678901 + span, cells, 8);

			assert_true(ticks.step >= ticks.unit && ticks.step % ticks.unit == 0);
			assert_int_equal(ticks.base % ticks.unit, 0);
			assert_true(span / ticks.step <= cells / 8);
		}
}
