/* SPDX-License-Identifier: MIT */
#include "known/palette.h"

#include <math.h>
#include <string.h>

#include "base/attr.h"

uint32_t wl_colour_rgb(enum wl_colour colour, bool dark)
{
	static const uint32_t rgb[WL_N_COLOURS][2] = {
#define WL_COLOUR(ID, light, dark) [WL_COLOUR_##ID] = { light, dark },
#include "known/palette.def"
#undef WL_COLOUR
	};

	return rgb[colour][dark];
}

uint32_t wl_heat_rgb(unsigned ink, bool dark)
{
	static const uint32_t rgb[WL_N_HEATS][2] = {
#define WL_HEAT(number, light, dark) [WL_HEAT_##number] = { light, dark },
#include "known/palette.def"
#undef WL_HEAT
	};

	return rgb[ink][dark];
}

/* Relative luminance as WCAG 2 defines it. */
static double luminance(uint32_t rgb)
{
	static const double weight[] = { 0.0722, 0.7152, 0.2126 }; /* blue, green, red */
	double sum = 0;

	for (size_t i = 0; i < WL_COUNT(weight); i++) {
		double c = (double)(rgb >> (8 * i) & 0xff) / 255;

		sum += weight[i] * (c <= 0.04045 ? c / 12.92 : pow((c + 0.055) / 1.055, 2.4));
	}
	return sum;
}

static uint32_t text_on(uint32_t rgb)
{
	return luminance(rgb) > 0.18 ? 0x000000 : 0xFFFFFF;
}

uint32_t wl_colour_text(enum wl_colour colour, bool dark)
{
	return text_on(wl_colour_rgb(colour, dark));
}

uint32_t wl_heat_text(unsigned ink, bool dark)
{
	return text_on(wl_heat_rgb(ink, dark));
}

struct wl_swatch wl_swatch_of(const char *word, size_t index)
{
	static const struct {
		const char *word;
		struct wl_swatch fill;
	} known[] = {
#define WL_FILL(word, COLOUR, HATCH) { word, { WL_COLOUR_##COLOUR, WL_HATCH_##HATCH } },
#include "known/palette.def"
#undef WL_FILL
#define WL_CATEGORY(ID, word, COLOUR, HATCH, holds)                                                \
	{ word, { WL_COLOUR_##COLOUR, WL_HATCH_##HATCH } },
#include "known/kernels/kernels.def"
#undef WL_CATEGORY
	};

	for (size_t i = 0; i < WL_COUNT(known); i++) {
		if (strcmp(known[i].word, word) == 0)
			return known[i].fill;
	}
	return (struct wl_swatch){ WL_COLOUR_OTHER, (enum wl_hatch)(index % WL_N_HATCHES) };
}
