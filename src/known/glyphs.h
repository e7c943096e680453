/* SPDX-License-Identifier: MIT */
/* glyphs.h - the characters of parts of time on a terminal; see glyphs.def. */
#ifndef WL_KNOWN_GLYPHS_H
#define WL_KNOWN_GLYPHS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct wl_glyph {
	const char *part;
	const char *text;  /* one column wide */
	const char *ascii; /* for terminals that have nothing else */
	int colour;        /* of xterm's 256; -1 for the terminal's own */
	const char *words; /* what a list calls it */
	const char *help;  /* what it stands for */
};

/* Of a part that is not listed, a question mark. Never NULL. */
const struct wl_glyph *wl_glyph_of(const char *part);

/* In the order of glyphs.def; NULL behind the last. */
const struct wl_glyph *wl_glyph_at(size_t i);

/* A column as high as the share of 1, in eighths; a blank for 0, at least an eighth above it. */
uint32_t wl_level_glyph(double share, bool ascii);

#endif
