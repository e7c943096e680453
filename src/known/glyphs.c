/* SPDX-License-Identifier: MIT */
#include "known/glyphs.h"

#include <stddef.h>
#include <string.h>

#include "base/attr.h"

const struct wl_glyph *wl_glyph_of(const char *part)
{
	static const struct wl_glyph glyphs[] = {
#define WL_GLYPH(part, text, ascii, colour) { part, text, ascii, colour },
#include "known/glyphs.def"
#undef WL_GLYPH
	};
	static const struct wl_glyph none = { "", "?", "?", -1 };

	for (size_t i = 0; i < WL_COUNT(glyphs); i++) {
		if (strcmp(glyphs[i].part, part) == 0)
			return &glyphs[i];
	}
	return &none;
}
