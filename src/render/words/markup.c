/* SPDX-License-Identifier: MIT */
#include "render/words/markup.h"

#include "render/words/human.h"

static const char *escape(uint32_t cp)
{
	switch (cp) {
	case '<':
		return "&lt;";
	case '>':
		return "&gt;";
	case '&':
		return "&amp;";
	case '"':
		return "&quot;";
	/* Both quotes are escaped, so that text is safe inside an attribute of either kind. */
	case '\'':
		return "&#39;";
	default:
		return wl_escape_human(cp);
	}
}

void wl_put_markup(FILE *out, const char *s)
{
	wl_put_escaped(out, s, escape);
}

void wl_put_markup_cut(FILE *out, const char *s, size_t width)
{
	wl_put_escaped_cut(out, s, width, escape);
}

void wl_put_element(FILE *out, const char *open, const char *text, const char *close)
{
	(void)fputs(open, out);
	wl_put_markup(out, text);
	(void)fputs(close, out);
}
