/* SPDX-License-Identifier: MIT */
#include "known/glyphs.h"

#include <stddef.h>
#include <string.h>

#include "base/attr.h"

static const struct wl_glyph glyphs[] = {
#define WL_GLYPH(part, text, ascii, colour, words, help) { part, text, ascii, colour, words, help },
#include "known/glyphs.def"
#undef WL_GLYPH
};

const struct wl_glyph *wl_glyph_at(size_t i)
{
	return i < WL_COUNT(glyphs) ? &glyphs[i] : NULL;
}

const struct wl_glyph *wl_glyph_of(const char *part)
{
	static const struct wl_glyph none = { "", "?", "?", -1, "", "" };

	for (size_t i = 0; i < WL_COUNT(glyphs); i++) {
		if (strcmp(glyphs[i].part, part) == 0)
			return &glyphs[i];
	}
	return &none;
}

uint32_t wl_level_glyph(double share, bool ascii)
{
	static const char levels[] = "._-=+*%#";
	int eighths = (int)(share * 8 + 0.5);

	if (!(share > 0))
		return ' ';
	eighths = eighths < 1 ? 1 : eighths > 8 ? 8 : eighths;
	return ascii ? (uint32_t)levels[eighths - 1] : 0x2580 + (uint32_t)eighths;
}
