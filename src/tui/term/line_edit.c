/* SPDX-License-Identifier: MIT */
#include "tui/term/line_edit.h"

#include <string.h>

#include "base/text/utf8.h"

static bool is_typed(uint32_t key)
{
	return key >= 0x20 && key < WL_KEY_FIRST && key != WL_KEY_BACKSPACE &&
	       !wl_utf8_is_control(key) && !wl_utf8_is_bidi(key);
}

static size_t before(const struct wl_line_edit *e, size_t at)
{
	while (at > 0 && (e->text[--at] & 0xC0) == 0x80)
		;
	return at;
}

static size_t behind(const struct wl_line_edit *e, size_t at)
{
	uint32_t cp;

	return at < e->n ? at + wl_utf8_decode(e->text + at, e->n - at, &cp) : at;
}

static size_t word_before(const struct wl_line_edit *e)
{
	size_t at = e->at;

	while (at > 0 && e->text[at - 1] == ' ')
		at--;
	while (at > 0 && e->text[at - 1] != ' ')
		at--;
	return at;
}

static void insert(struct wl_line_edit *e, uint32_t cp)
{
	char bytes[WL_UTF8_MAX];
	size_t n = wl_utf8_encode(cp, bytes);

	if (e->n + n >= WL_LINE_CAP)
		return;
	memmove(e->text + e->at + n, e->text + e->at, e->n - e->at + 1);
	memcpy(e->text + e->at, bytes, n);
	e->n += n;
	e->at += n;
}

/* Without [from, to); the cursor goes there. */
static enum wl_edited cut(struct wl_line_edit *e, size_t from, size_t to)
{
	if (from == to)
		return WL_EDIT_MOVED;
	memmove(e->text + from, e->text + to, e->n - to + 1);
	e->n -= to - from;
	e->at = from;
	return WL_EDIT_CHANGED;
}

static enum wl_edited move(struct wl_line_edit *e, size_t to)
{
	e->at = to;
	return WL_EDIT_MOVED;
}

void wl_line_edit_init(struct wl_line_edit *e, const char *text)
{
	*e = (struct wl_line_edit){ .n = 0 };
	while (text && *text) {
		uint32_t cp = wl_utf8_next(&text);

		if (is_typed(cp))
			insert(e, cp);
	}
}

enum wl_edited wl_line_edit_key(struct wl_line_edit *e, uint32_t key)
{
	switch (key) {
	case WL_KEY_BACKSPACE:
		return cut(e, before(e, e->at), e->at);
	case WL_KEY_DELETE:
		return cut(e, e->at, behind(e, e->at));
	case WL_KEY_LEFT:
	case 'b' | WL_MOD_CTRL:
		return move(e, before(e, e->at));
	case WL_KEY_RIGHT:
	case 'f' | WL_MOD_CTRL:
		return move(e, behind(e, e->at));
	case WL_KEY_HOME:
	case 'a' | WL_MOD_CTRL:
		return move(e, 0);
	case WL_KEY_END:
	case 'e' | WL_MOD_CTRL:
		return move(e, e->n);
	case 'u' | WL_MOD_CTRL:
		return cut(e, 0, e->at);
	case 'k' | WL_MOD_CTRL:
		return cut(e, e->at, e->n);
	case 'w' | WL_MOD_CTRL:
		return cut(e, word_before(e), e->at);
	default:
		break;
	}
	if (!is_typed(key))
		return WL_EDIT_NOT_MINE;
	insert(e, key);
	return WL_EDIT_CHANGED;
}

/* How many cells the bytes [from, to) take. */
static int width_of(const struct wl_line_edit *e, size_t from, size_t to)
{
	int width = 0;

	while (from < to) {
		uint32_t cp;

		from += wl_utf8_decode(e->text + from, to - from, &cp);
		width += wl_utf8_cp_width(cp);
	}
	return width;
}

void wl_line_edit_draw(const struct wl_line_edit *e, struct wl_screen *s, int x, int y, int width,
		       struct wl_style style)
{
	size_t from = 0;

	if (width < 1)
		return;
	while (from < e->at && width_of(e, from, e->at) >= width)
		from = behind(e, from);
	wl_screen_fill(s, x, y, width, 1, style);
	(void)wl_screen_text(s, x, y, width, style, e->text + from);
	s->cursor_x = x + width_of(e, from, e->at);
	s->cursor_y = y;
}
