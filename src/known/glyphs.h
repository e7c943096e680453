/* SPDX-License-Identifier: MIT */
/* glyphs.h - the characters of parts of time on a terminal; see glyphs.def. */
#ifndef WL_KNOWN_GLYPHS_H
#define WL_KNOWN_GLYPHS_H

struct wl_glyph {
	const char *part;
	const char *text;  /* one column wide */
	const char *ascii; /* for terminals that have nothing else */
	int colour;        /* of xterm's 256; -1 for the terminal's own */
};

/* Of a part that is not listed, a question mark. Never NULL. */
const struct wl_glyph *wl_glyph_of(const char *part);

#endif
