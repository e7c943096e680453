/* SPDX-License-Identifier: MIT */
/*
 * timeline_cells.c - draws a cell of the chart: two columns of the picture.
 *
 * With colours the glyph shows how much of the cell is busy and which two kinds meet in it;
 * without, it shows the category. A cell that is hardly busy is as low as that either way: a
 * stream of short kernels far apart must not look solid.
 */
#include "base/text/utf8.h"
#include "known/glyphs.h"
#include "tui/timeline/timeline_parts.h"

/* Twice 1/3 and 2/3 of a full share; and the full one, below a fifth of which a cell is sparse. */
enum { SOME = 170, MOST = 340, FULL = 510, SPARSE = FULL / 5, SMALL_GAP = 32 };

static const uint32_t mono[WL_N_COLOURS] = {
	[WL_COLOUR_GEMM] = 0x2588, [WL_COLOUR_ATTENTION] = 0x2593, [WL_COLOUR_NORM] = 0x2592,
	[WL_COLOUR_COMM] = '#',    [WL_COLOUR_COPY] = '=',         [WL_COLOUR_OTHER] = 0x2591,
	[WL_COLOUR_HOST] = '-',    [WL_COLOUR_NEUTRAL] = '|',
};

static const uint32_t mono_ascii[WL_N_COLOURS] = {
	[WL_COLOUR_GEMM] = '@', [WL_COLOUR_ATTENTION] = '%', [WL_COLOUR_NORM] = '+',
	[WL_COLOUR_COMM] = '#', [WL_COLOUR_COPY] = '=',      [WL_COLOUR_OTHER] = ':',
	[WL_COLOUR_HOST] = '-', [WL_COLOUR_NEUTRAL] = '|',
};

static struct wl_chart_cell cell(uint32_t cp, uint8_t fg, uint8_t bg)
{
	return (struct wl_chart_cell){ cp, { fg, bg, 0 } };
}

/* The half with more in it; of equal ones the left. */
static struct wl_picture_column stronger(struct wl_picture_column left,
					 struct wl_picture_column right)
{
	return right.share > left.share ? right : left;
}

static uint32_t shade(int both, bool ascii)
{
	if (ascii)
		return both >= MOST ? '#' : both >= SOME ? '=' : '-';
	return both >= MOST ? 0x2588 : both >= SOME ? 0x2593 : 0x2592;
}

struct wl_chart_cell wl_cell_of(struct wl_picture_column left, struct wl_picture_column right,
				struct wl_look_caps caps)
{
	int both = left.share + right.share;

	if (both == 0)
		return cell(0, WL_INK_DEFAULT, WL_INK_DEFAULT);
	if (both < SPARSE)
		return cell(wl_level_glyph((double)both / FULL, caps.ascii),
			    caps.colourful ? stronger(left, right).cat : (uint8_t)WL_INK_DEFAULT,
			    WL_INK_DEFAULT);
	if (!caps.colourful) {
		uint8_t cat = stronger(left, right).cat;

		return cell(caps.ascii ? mono_ascii[cat] : mono[cat], WL_INK_DEFAULT,
			    WL_INK_DEFAULT);
	}
	if (left.share == 0 || right.share == 0) {
		if (caps.ascii)
			return cell(shade(both, true), stronger(left, right).cat, WL_INK_DEFAULT);
		return cell(left.share > 0 ? 0x258C : 0x2590, stronger(left, right).cat,
			    WL_INK_DEFAULT);
	}
	if (left.cat != right.cat)
		return cell(caps.ascii ? '+' : 0x258C, left.cat, right.cat);
	return cell(shade(both, caps.ascii), left.cat, WL_INK_DEFAULT);
}

struct wl_chart_cell wl_gap_cell_of(struct wl_picture_column left, struct wl_picture_column right,
				    struct wl_look_caps caps)
{
	struct wl_picture_column most = stronger(left, right);
	const char *word = wl_gap_cat_name((enum wl_gap_cat)most.cat);
	bool is_small = left.share + right.share < 2 * SMALL_GAP;
	const struct wl_glyph *glyph = wl_glyph_of(is_small ? "smaller parts" : word);
	const char *text = caps.ascii ? glyph->ascii : glyph->text;
	uint8_t ink = is_small ? WL_INK_DIM : (uint8_t)wl_swatch_of(word, 0).colour;

	if (most.share == 0)
		return cell(0, WL_INK_DEFAULT, WL_INK_DEFAULT);
	return cell(wl_utf8_next(&text), caps.colourful ? ink : WL_INK_DEFAULT, WL_INK_DEFAULT);
}

struct wl_chart_cell wl_level_cell_of(struct wl_picture_column left, struct wl_picture_column right,
				      struct wl_look_caps caps)
{
	int n = (left.share > 0) + (right.share > 0), both = left.share + right.share - n;

	if (n == 0)
		return cell(0, WL_INK_DEFAULT, WL_INK_DEFAULT);
	if (both == 0)
		return cell('_', WL_INK_DIM, WL_INK_DEFAULT);
	return cell(wl_level_glyph((double)both / (n * (UINT8_MAX - 1)), caps.ascii),
		    caps.colourful ? (uint8_t)WL_COLOUR_OTHER : (uint8_t)WL_INK_DEFAULT,
		    WL_INK_DEFAULT);
}
