/* SPDX-License-Identifier: MIT */
#include "tui/term/dump.h"

#include <string.h>

#include "base/text/utf8.h"

static void append(struct wl_vec *out, const char *bytes, size_t n)
{
	char *at = wl_vec_extend(out, n);

	if (at)
		memcpy(at, bytes, n);
}

/* Nothing for the right half of a wide character. */
static void put_char(struct wl_vec *out, uint32_t cp)
{
	char buf[WL_UTF8_MAX];

	if (cp)
		append(out, buf, wl_utf8_encode(cp, buf));
}

static void put_line(const struct wl_screen *s, int y, int width, struct wl_vec *out)
{
	for (int x = 0; x < width; x++)
		put_char(out, wl_screen_at(s, x, y)->cp);
	append(out, "\n", 1);
}

void wl_dump_text(const struct wl_screen *s, struct wl_vec *out)
{
	for (int y = 0; y < s->rows; y++) {
		int width = s->cols;

		while (width > 0 && wl_screen_at(s, width - 1, y)->cp == ' ')
			width--;
		put_line(s, y, width, out);
	}
}

void wl_dump_cells(const struct wl_screen *s, struct wl_vec *out)
{
	for (int y = 0; y < s->rows; y++)
		put_line(s, y, s->cols, out);
}

static bool is_same(struct wl_pen a, struct wl_pen b)
{
	return a.fg == b.fg && a.bg == b.bg && a.attrs == b.attrs;
}

void wl_dump_ansi(const struct wl_screen *s, enum wl_depth depth, struct wl_vec *out)
{
	static const struct wl_pen plain = { WL_PEN_OWN, WL_PEN_OWN, 0 };
	char sgr[WL_SGR_BUF];

	for (int y = 0; y < s->rows; y++) {
		struct wl_pen pen = plain;

		for (int x = 0; x < s->cols; x++) {
			const struct wl_screen_cell *c = wl_screen_at(s, x, y);
			struct wl_pen next = wl_ink_pen(c->style, depth, false);

			if (!is_same(pen, next))
				append(out, sgr, wl_ink_sgr(next, depth, sgr));
			pen = next;
			put_char(out, c->cp);
		}
		if (!is_same(pen, plain))
			append(out, sgr, wl_ink_sgr(plain, depth, sgr));
		append(out, "\n", 1);
	}
}
