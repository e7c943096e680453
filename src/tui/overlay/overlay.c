/* SPDX-License-Identifier: MIT */
#include "tui/overlay/overlay.h"

#include <ctype.h>

void *wl_overlay_alloc(const struct wl_overlay_ops *ops, size_t size, struct wl_budget *budget)
{
	struct wl_arena arena;
	struct wl_overlay *o;

	wl_arena_init_on(&arena, budget);
	o = wl_arena_calloc(&arena, 1, size);
	if (!o)
		return NULL;
	o->ops = ops;
	o->arena = arena;
	return o;
}

void wl_overlay_free(struct wl_overlay *o)
{
	struct wl_arena arena;

	if (!o)
		return;
	arena = o->arena;
	wl_arena_release(&arena);
}

bool wl_overlay_box_has(const struct wl_overlay_box *box, int x, int y)
{
	return x >= box->x && x < box->x + box->width && y >= box->y && y < box->y + box->height;
}

static void draw_rule(struct wl_screen *s, const struct wl_overlay_box *b, int y, const char *text,
		      bool is_top)
{
	const uint32_t line = s->caps.ascii ? '-' : 0x2500;
	const uint32_t left = s->caps.ascii ? '+' : is_top ? 0x250C : 0x2514;
	const uint32_t right = s->caps.ascii ? '+' : is_top ? 0x2510 : 0x2518;
	const struct wl_style dim = { WL_INK_DIM, WL_INK_DEFAULT, 0 };
	struct wl_style bold = WL_STYLE_PLAIN;
	int n;

	for (int x = b->x; x < b->x + b->width; x++)
		wl_screen_put(s, x, y, line, dim);
	wl_screen_put(s, b->x, y, left, dim);
	wl_screen_put(s, b->x + b->width - 1, y, right, dim);
	if (!*text || b->width < 8)
		return;
	if (is_top)
		bold.attrs = WL_ATTR_BOLD;
	n = wl_screen_label(s, b->x + 3, y, b->width - 6, is_top ? bold : dim, text);
	wl_screen_put(s, b->x + 2, y, ' ', dim);
	wl_screen_put(s, b->x + 3 + n, y, ' ', dim);
}

struct wl_overlay_box wl_overlay_frame(struct wl_screen *s, const char *title, const char *hint,
				       int width, int height)
{
	const struct wl_style dim = { WL_INK_DIM, WL_INK_DEFAULT, 0 };
	const int room_x = s->cols, room_y = s->rows - 2;
	struct wl_overlay_box b = { .width = width + 4, .height = height + 2 };

	if (b.width > room_x)
		b.width = room_x;
	if (b.height > room_y)
		b.height = room_y;
	b.x = (room_x - b.width) / 2;
	b.y = (room_y - b.height) / 2;
	wl_screen_fill(s, b.x, b.y, b.width, b.height, WL_STYLE_PLAIN);
	for (int y = b.y + 1; y < b.y + b.height - 1; y++) {
		wl_screen_put(s, b.x, y, s->caps.ascii ? '|' : 0x2502, dim);
		wl_screen_put(s, b.x + b.width - 1, y, s->caps.ascii ? '|' : 0x2502, dim);
	}
	draw_rule(s, &b, b.y, title, true);
	draw_rule(s, &b, b.y + b.height - 1, hint, false);
	return (struct wl_overlay_box){ b.x + 2, b.y + 1, b.width > 4 ? b.width - 4 : 0,
					b.height > 2 ? b.height - 2 : 0 };
}

size_t wl_scroll_to(size_t first, size_t chosen, size_t height)
{
	if (chosen < first)
		return chosen;
	return height > 0 && chosen >= first + height ? chosen - height + 1 : first;
}

bool wl_scroll_key(uint32_t key, size_t n, size_t page, size_t *at)
{
	const size_t last = n > 0 ? n - 1 : 0;

	if (page < 1)
		page = 1;
	switch (key) {
	case WL_KEY_UP:
		*at -= *at > 0;
		break;
	case WL_KEY_DOWN:
		*at += *at < last;
		break;
	case WL_KEY_PGUP:
		*at -= *at < page ? *at : page;
		break;
	case WL_KEY_PGDN:
		*at += last - *at < page ? last - *at : page;
		break;
	case WL_KEY_HOME:
		*at = 0;
		break;
	case WL_KEY_END:
		*at = last;
		break;
	default:
		return false;
	}
	return true;
}

/* A character counts more at the beginning of a word, and right behind the one before. */
int wl_fuzzy_score(const char *pattern, const char *name)
{
	const char *last = NULL;
	int score = 1;

	for (const char *at = name; *pattern; pattern++) {
		int want = tolower((unsigned char)*pattern);

		if (want == ' ')
			continue;
		while (*at && tolower((unsigned char)*at) != want)
			at++;
		if (!*at)
			return 0;
		if (at == name || !isalnum((unsigned char)at[-1]))
			score += at == name ? 8 : 6;
		if (last && at == last + 1)
			score += 6;
		else if (last)
			score -= at - last > 3 ? 3 : (int)(at - last) - 1;
		score += 3;
		last = at++;
	}
	return score < 1 ? 1 : score;
}
