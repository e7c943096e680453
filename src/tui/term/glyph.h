/* SPDX-License-Identifier: MIT */
/* glyph.h - the characters that views draw with, and their replacements in ASCII. */
#ifndef WL_TUI_GLYPH_H
#define WL_TUI_GLYPH_H

#include <stdint.h>

/*
 * ASCII itself; the substitute of a glyph, which takes one cell as the glyph does; '?'
 * for any other character.
 */
uint32_t wl_glyph_ascii(uint32_t cp);

#endif
