/* SPDX-License-Identifier: MIT */
/*
 * ink.h - maps inks to the colours of a terminal.
 *
 * Terminals differ in how many colours they have. A terminal with eight has bright ones
 * as bold text only. The bottom of the ladder is without colours: there, glyphs tell things
 * apart and attributes say what matters.
 */
#ifndef WL_TUI_INK_H
#define WL_TUI_INK_H

#include <stddef.h>

#include "tui/term/screen.h"

enum wl_depth { WL_DEPTH_MONO, WL_DEPTH_8, WL_DEPTH_16, WL_DEPTH_256, WL_DEPTH_RGB };

enum { WL_PEN_OWN = -1 }; /* the terminal's own colour */

/* A style as a terminal takes it: numbers of its palette, or 0xRRGGBB at WL_DEPTH_RGB. */
struct wl_pen {
	int fg, bg;
	uint8_t attrs; /* enum wl_attr */
};

/* light: the terminal's background is. */
struct wl_pen wl_ink_pen(struct wl_style style, enum wl_depth depth, bool light);

/*
 * The escape sequence that sets the pen and nothing else, whatever was set before
 * (SGR); returns its length.
 */
enum { WL_SGR_BUF = 64 };
size_t wl_ink_sgr(struct wl_pen pen, enum wl_depth depth, char buf[WL_SGR_BUF]);

#endif
