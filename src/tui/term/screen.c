/* SPDX-License-Identifier: MIT */
#include "tui/term/screen.h"

#include <assert.h>
#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/text/utf8.h"
#include "tui/term/glyph.h"

static const struct wl_screen_cell blank = { ' ', { WL_INK_DEFAULT, WL_INK_DEFAULT, 0 } };

void wl_screen_init(struct wl_screen *s, struct wl_budget *budget)
{
	*s = (struct wl_screen){
		.caps = { .colourful = true }, .cursor_x = -1, .cursor_y = -1, .budget = budget
	};
}

void wl_screen_release(struct wl_screen *s)
{
	if (s->cap)
		wl_budget_give(s->budget, s->cap * sizeof(*s->cell));
	free(s->cell);
	s->cell = NULL;
	s->cap = 0;
	s->cols = s->rows = 0;
}

static bool make_room(struct wl_screen *s, size_t n)
{
	if (n <= s->cap)
		return true;
	wl_screen_release(s);
	if (!wl_budget_take(s->budget, n * sizeof(*s->cell)))
		return false;
	s->cell = malloc(n * sizeof(*s->cell));
	if (!s->cell) {
		wl_budget_give(s->budget, n * sizeof(*s->cell));
		return false;
	}
	s->cap = n;
	return true;
}

static int clamp(int n, int least, int most)
{
	return n < least ? least : n > most ? most : n;
}

bool wl_screen_resize(struct wl_screen *s, int cols, int rows)
{
	cols = clamp(cols, 0, WL_SCREEN_MAX);
	rows = clamp(rows, 0, WL_SCREEN_MAX);
	if (!make_room(s, (size_t)cols * (size_t)rows)) {
		s->cursor_x = s->cursor_y = -1;
		return false;
	}
	s->cols = cols;
	s->rows = rows;
	wl_screen_clear(s);
	return true;
}

void wl_screen_clear(struct wl_screen *s)
{
	size_t n = (size_t)s->cols * (size_t)s->rows;

	for (size_t i = 0; i < n; i++)
		s->cell[i] = blank;
	s->cursor_x = s->cursor_y = -1;
}

static struct wl_screen_cell *cell_at(const struct wl_screen *s, int x, int y)
{
	return s->cell + (size_t)y * (size_t)s->cols + (size_t)x;
}

const struct wl_screen_cell *wl_screen_at(const struct wl_screen *s, int x, int y)
{
	assert(x >= 0 && x < s->cols && y >= 0 && y < s->rows);
	return cell_at(s, x, y);
}

/* Whatever is written over one half of a wide character takes the other half with it. */
static void write_cell(const struct wl_screen *s, int x, int y, uint32_t cp, struct wl_style style)
{
	struct wl_screen_cell *c = cell_at(s, x, y);

	if (c->cp == 0 && x > 0)
		c[-1].cp = ' ';
	if (x + 1 < s->cols && c[1].cp == 0)
		c[1].cp = ' ';
	*c = (struct wl_screen_cell){ cp, style };
}

/* What a cell may hold instead of the character, and how many cells that takes, maybe none. */
static uint32_t tame(const struct wl_screen *s, uint32_t cp, int *ret_width)
{
	bool bad = cp > 0x10FFFF || (cp >= 0xD800 && cp <= 0xDFFF) || wl_utf8_is_control(cp) ||
		   wl_utf8_is_bidi(cp) || wl_utf8_is_separator(cp);

	if (bad)
		cp = WL_UTF8_REPLACEMENT;
	*ret_width = wl_utf8_cp_width(cp);
	return s->caps.ascii ? wl_glyph_ascii(cp) : cp;
}

/* A tame character of width > 0 at any place. */
static void draw(const struct wl_screen *s, int x, int y, uint32_t cp, int width,
		 struct wl_style style)
{
	if (y < 0 || y >= s->rows || x < 0 || x > s->cols - width)
		return;
	if (width == 2)
		write_cell(s, x + 1, y, ' ', style);
	write_cell(s, x, y, cp, style);
	if (width == 2)
		cell_at(s, x + 1, y)->cp = s->caps.ascii ? cp : 0;
}

void wl_screen_put(struct wl_screen *s, int x, int y, uint32_t cp, struct wl_style style)
{
	int width;

	cp = tame(s, cp, &width);
	if (width > 0)
		draw(s, x, y, cp, width, style);
}

/* The text as far as it fits; returns how many cells it took. */
static int draw_text(struct wl_screen *s, int x, int y, int width, struct wl_style style,
		     const char *text)
{
	int used = 0, w;

	for (uint32_t cp; (cp = wl_utf8_next(&text)) != 0; used += w) {
		cp = tame(s, cp, &w);
		if (w > width - used)
			break;
		if (w > 0 && x <= INT_MAX - used)
			draw(s, x + used, y, cp, w, style);
	}
	return used;
}

int wl_screen_text(struct wl_screen *s, int x, int y, int width, struct wl_style style,
		   const char *text)
{
	return width > 0 ? draw_text(s, x, y, width, style, text) : 0;
}

int wl_screen_print(struct wl_screen *s, int x, int y, int width, struct wl_style style,
		    const char *fmt, ...)
{
	char text[1024];
	va_list ap;

	va_start(ap, fmt);
	(void)vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	return wl_screen_text(s, x, y, width, style, text);
}

/* Whether the text takes more cells than that; looks no further than it must. */
static bool is_longer(const struct wl_screen *s, const char *text, int width)
{
	int w;

	for (uint32_t cp; width >= 0 && (cp = wl_utf8_next(&text)) != 0; width -= w)
		(void)tame(s, cp, &w);
	return width < 0;
}

int wl_screen_label(struct wl_screen *s, int x, int y, int width, struct wl_style style,
		    const char *text)
{
	int used;

	if (width <= 0)
		return 0;
	if (!is_longer(s, text, width))
		return draw_text(s, x, y, width, style, text);
	used = draw_text(s, x, y, width - 1, style, text);
	if (x <= INT_MAX - used)
		wl_screen_put(s, x + used, y, 0x2026, style);
	return used + 1;
}

/* The cells [*x, return value) of [*x, *x + width) that are in the grid. */
static int clip(int *x, int width, int n)
{
	int64_t end = (int64_t)*x + width;

	*x = clamp(*x, 0, n);
	return end < *x ? *x : end > n ? n : (int)end;
}

void wl_screen_fill(struct wl_screen *s, int x, int y, int width, int height, struct wl_style style)
{
	int x_end = clip(&x, width, s->cols), y_end = clip(&y, height, s->rows);

	for (; y < y_end; y++) {
		for (int i = x; i < x_end; i++)
			write_cell(s, i, y, ' ', style);
	}
}

void wl_screen_mark(struct wl_screen *s, int x, int y, int width, uint8_t attrs)
{
	int end = clip(&x, width, s->cols);

	if (y < 0 || y >= s->rows || x >= end)
		return;
	if (x > 0 && cell_at(s, x, y)->cp == 0)
		x--;
	if (end < s->cols && cell_at(s, end, y)->cp == 0)
		end++;
	for (; x < end; x++)
		cell_at(s, x, y)->style.attrs |= attrs;
}
