/* SPDX-License-Identifier: MIT */
#include "tui/app/footer.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

#include "base/text/utf8.h"

enum { MAX_ITEMS = 96, MAX_TOGETHER = 4, MAX_RANK = 9 };

/* Neighbours that share a word. */
struct item {
	const char *word;
	int rank;
	int width; /* with a blank behind it */
	size_t n;
	enum wl_action action[MAX_TOGETHER];
	char key[MAX_TOGETHER][WL_KEY_NAME_BUF];
	bool is_shown;
};

const char *wl_key_label(uint32_t key, bool ascii, char buf[WL_KEY_NAME_BUF])
{
	static const struct {
		uint32_t key;
		const char *sign;
	} signs[] = {
		{ WL_KEY_LEFT, "\u2190" }, { WL_KEY_RIGHT, "\u2192" }, { WL_KEY_UP, "\u2191" },
		{ WL_KEY_DOWN, "\u2193" }, { WL_KEY_BTAB, "S-Tab" },
	};
	const uint32_t plain = key & ~(uint32_t)(WL_MOD_SHIFT | WL_MOD_CTRL | WL_MOD_ALT);

	for (size_t i = 0; !ascii && i < WL_COUNT(signs); i++) {
		if (signs[i].key != plain)
			continue;
		(void)snprintf(buf, WL_KEY_NAME_BUF, "%s%s%s%s", key & WL_MOD_CTRL ? "C-" : "",
			       key & WL_MOD_ALT ? "A-" : "", key & WL_MOD_SHIFT ? "S-" : "",
			       signs[i].sign);
		return buf;
	}
	return wl_key_name(key, buf);
}

static void add_key(struct item *it, enum wl_action action, uint32_t key, bool ascii)
{
	(void)wl_key_label(key, ascii, it->key[it->n]);
	it->width += (int)wl_utf8_width(it->key[it->n]);
	it->action[it->n++] = action;
}

/* Names of more than a sign are told apart by a stroke. */
static bool has_stroke(const struct item *it, size_t i)
{
	return i > 0 && i < MAX_TOGETHER &&
	       (wl_utf8_width(it->key[i]) > 1 || wl_utf8_width(it->key[i - 1]) > 1);
}

static size_t collect(const struct wl_keymap *keys, enum wl_view_id view, bool ascii,
		      struct item *items)
{
	size_t n = 0;

	for (size_t a = 1; a < WL_N_ACTIONS; a++) {
		const struct wl_action_info *info = &wl_actions[a];
		const char *word = info->foot;
		uint32_t key = wl_keymap_key(keys, view, (enum wl_action)a, 0);
		struct item *it;

		if (!*word || !key)
			continue;
		if (isdigit((unsigned char)*word))
			word++;
		it = n > 0 ? &items[n - 1] : NULL;
		if (!it || strcmp(it->word, word) != 0 || it->n == MAX_TOGETHER) {
			if (n == MAX_ITEMS)
				break;
			it = &items[n++];
			*it = (struct item){ .word = word,
					     .rank = word != info->foot ? info->foot[0] - '0' : 1,
					     .width = (int)wl_utf8_width(word) + 2 };
		}
		add_key(it, (enum wl_action)a, key, ascii);
		it->width += has_stroke(it, it->n - 1);
	}
	return n;
}

static int put(struct wl_footer *footer, struct wl_screen *s, int x, int y, const struct item *it)
{
	const struct wl_style bold = { WL_INK_DEFAULT, WL_INK_DEFAULT, WL_ATTR_BOLD };
	const struct wl_style dim = { WL_INK_DIM, WL_INK_DEFAULT, 0 };

	for (size_t i = 0; i < it->n; i++) {
		int begin = x;

		if (has_stroke(it, i))
			x += wl_screen_text(s, x, y, 1, dim, "/");
		x += wl_screen_text(s, x, y, s->cols - x, bold, it->key[i]);
		if (i + 1 == it->n)
			x += 1 + wl_screen_text(s, x + 1, y, s->cols - x - 1, dim, it->word);
		if (footer->n < WL_MAX_FOOTER) {
			footer->at[footer->n].begin = begin;
			footer->at[footer->n].end = x;
			footer->at[footer->n++].action = it->action[i];
		}
	}
	return x + 1;
}

void wl_footer_draw(struct wl_footer *footer, struct wl_screen *s, int x, int y,
		    const struct wl_keymap *keys, enum wl_view_id view)
{
	struct item items[MAX_ITEMS];
	size_t n = collect(keys, view, s->caps.ascii, items);
	int room = s->cols + 1 - x; /* the last blank may be cut */

	for (int rank = 0; rank <= MAX_RANK; rank++) {
		for (size_t i = 0; i < n; i++) {
			items[i].is_shown |= items[i].rank == rank && items[i].width <= room;
			if (items[i].rank == rank && items[i].is_shown)
				room -= items[i].width;
		}
	}
	footer->n = 0;
	for (int last = 0; last < 2; last++) {
		for (size_t i = 0; i < n; i++) {
			if (items[i].is_shown && (items[i].rank == 0) == (last == 1))
				x = put(footer, s, x, y, &items[i]);
		}
	}
}

enum wl_action wl_footer_at(const struct wl_footer *footer, int x)
{
	for (size_t i = 0; i < footer->n; i++) {
		if (x >= footer->at[i].begin && x < footer->at[i].end)
			return footer->at[i].action;
	}
	return WL_ACT_NONE;
}
