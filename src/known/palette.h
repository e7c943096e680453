/* SPDX-License-Identifier: MIT */
/* palette.h - the colour and hatch of each class, category and cause in every picture. */
#ifndef WL_KNOWN_PALETTE_H
#define WL_KNOWN_PALETTE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum wl_colour {
#define WL_COLOUR(ID, light, dark) WL_COLOUR_##ID,
#include "known/palette.def"
#undef WL_COLOUR
	WL_N_COLOURS
};

/* How an area is hatched, so that it differs from its neighbour without colour. */
enum wl_hatch {
	WL_HATCH_NONE,
	WL_HATCH_RISING,
	WL_HATCH_FALLING,
	WL_HATCH_CROSSED,
	WL_HATCH_LEVEL,
	WL_HATCH_UPRIGHT,
	WL_HATCH_DOTTED,
	WL_N_HATCHES
};

struct wl_swatch {
	enum wl_colour colour;
	enum wl_hatch hatch;
};

/* Inks of heat maps. They differ in lightness, too: the more, the further from the page. */
enum {
#define WL_HEAT(number, light, dark) WL_HEAT_##number,
#include "known/palette.def"
#undef WL_HEAT
	WL_N_HEATS
};
uint32_t wl_heat_rgb(unsigned ink, bool dark);
uint32_t wl_heat_text(unsigned ink, bool dark); /* as wl_colour_text */

/* The colour as 0xRRGGBB on a light or a dark page. */
uint32_t wl_colour_rgb(enum wl_colour colour, bool dark);

/*
 * Black or white, 0xRRGGBB: the text that is readable on the colour. Above a relative
 * luminance of 0.18 black has the better contrast, at least 4.5:1 on all colours here.
 */
uint32_t wl_colour_text(enum wl_colour colour, bool dark);

/*
 * The fill of a word. A word that is not listed is of colour OTHER, and index, its place
 * among the words of a picture, chooses the hatch, so that neighbours differ.
 */
struct wl_swatch wl_swatch_of(const char *word, size_t index);

#endif
