#include "render/markup.h"

#include "base/utf8.h"
#include "render/human.h"

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

static void put_cp(FILE *out, uint32_t cp)
{
	char bytes[WL_UTF8_MAX + 1];

	bytes[wl_utf8_encode(cp, bytes)] = '\0';
	wl_put_markup(out, bytes);
}

void wl_put_markup_cut(FILE *out, const char *s, size_t width)
{
	/* Characters without width cost bytes all the same. */
	size_t left = 4 * width, used = 0;
	const char *rest = s;
	bool fits;

	while (*rest && used <= width && left) {
		used += (size_t)wl_utf8_cp_width(wl_human_next(&rest));
		left--;
	}
	fits = !*rest && used <= width;
	for (left = 4 * width, used = 0; *s && left; left--) {
		uint32_t cp = wl_human_next(&s);

		used += (size_t)wl_utf8_cp_width(cp);
		if (!fits && used >= width)
			break;
		put_cp(out, cp);
	}
	(void)fputs(fits ? "" : "\u2026", out);
}

void wl_put_element(FILE *out, const char *open, const char *text, const char *close)
{
	(void)fputs(open, out);
	wl_put_markup(out, text);
	(void)fputs(close, out);
}
