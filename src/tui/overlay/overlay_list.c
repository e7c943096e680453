/* SPDX-License-Identifier: MIT */
/* overlay_list.c - one of several is chosen: by arrows, by a digit, or by typing what it is called.
 */
#include <string.h>
#include <strings.h>

#include "base/memory/sort.h"
#include "base/text/utf8.h"
#include "tui/overlay/overlay.h"
#include "tui/term/line_edit.h"

struct list {
	struct wl_overlay base;
	struct wl_list_opts opts; /* title and items are copies */
	int width;                /* of the widest item */
	uint32_t *shown;          /* items that fit what was typed, the best first */
	uint32_t *scratch;
	int *score; /* by item */
	size_t n_shown;
	size_t at, first; /* of shown */
	size_t height;
	struct wl_overlay_box box;
	struct wl_line_edit find;
	bool is_chosen;
};

/* The name is the first word; in what follows it only whole words are looked for. */
static int score_of(const char *item, const char *typed)
{
	char name[128];
	size_t n = strcspn(item, " ");
	int score;

	if (n >= sizeof(name))
		n = sizeof(name) - 1;
	memcpy(name, item, n);
	name[n] = '\0';
	score = wl_fuzzy_score(typed, name);
	return score > 0 ? score + 1 : strcasestr(item, typed) ? 1 : 0;
}

static bool fits_better(const void *ctx, uint32_t a, uint32_t b)
{
	const struct list *l = ctx;

	return l->score[a] > l->score[b];
}

static void narrow(struct list *l)
{
	l->n_shown = 0;
	for (size_t i = 0; i < l->opts.n; i++) {
		l->score[i] = l->find.n > 0 ? score_of(l->opts.items[i], l->find.text) : 1;
		if (l->score[i] > 0)
			l->shown[l->n_shown++] = (uint32_t)i;
	}
	wl_sort_index(l->shown, l->n_shown, l->scratch, fits_better, l);
	l->at = l->first = 0;
}

static void draw_item(const struct list *l, struct wl_screen *s, const struct wl_overlay_box *box,
		      int y, size_t i)
{
	struct wl_style style = WL_STYLE_PLAIN;
	int x = box->x;

	if (i == l->at)
		style.attrs = WL_ATTR_REVERSE;
	wl_screen_fill(s, x, y, box->width, 1, style);
	if (!l->opts.is_fuzzy && l->opts.n > 1) {
		if (i < 9)
			(void)wl_screen_print(s, x, y, box->width, style, "%zu", i + 1);
		x += 2;
	}
	(void)wl_screen_label(s, x, y, box->width - (x - box->x), style,
			      l->opts.items[l->shown[i]]);
}

static void draw(struct wl_overlay *o, struct wl_screen *s)
{
	struct list *l = (struct list *)o;
	const char *hint = l->opts.is_fuzzy ? "type a name  Enter do it  Esc close"
					    : "Enter or 1-9 choose  Esc close";
	int top = l->opts.is_fuzzy ? 1 : 0, height;

	height = l->opts.n < 4096 ? (int)l->opts.n + top : 4096;
	l->box = wl_overlay_frame(s, l->opts.title, l->opts.chosen ? hint : "Esc close",
				  l->width + 2 > 36 ? l->width + 2 : 36, height);
	if (top && l->box.height > 0) {
		wl_screen_put(s, l->box.x, l->box.y, ':', WL_STYLE_PLAIN);
		wl_line_edit_draw(&l->find, s, l->box.x + 1, l->box.y, l->box.width - 1,
				  WL_STYLE_PLAIN);
		l->box.y++;
		l->box.height--;
	}
	l->height = (size_t)l->box.height;
	l->first = wl_scroll_to(l->first, l->at, l->height);
	for (size_t i = 0; i < l->height && l->first + i < l->n_shown; i++)
		draw_item(l, s, &l->box, l->box.y + (int)i, l->first + i);
}

static bool choose(struct list *l, size_t i)
{
	if (i >= l->n_shown)
		return true;
	l->at = i;
	l->is_chosen = true;
	return false;
}

static bool key(struct wl_overlay *o, uint32_t k)
{
	struct list *l = (struct list *)o;

	if (k == WL_KEY_ENTER && l->n_shown > 0)
		return choose(l, l->at);
	if (k == WL_KEY_ESC) {
		if (l->find.n == 0)
			return false;
		wl_line_edit_init(&l->find, "");
		narrow(l);
		return true;
	}
	if (wl_scroll_key(k, l->n_shown, l->height, &l->at))
		return true;
	if (l->opts.is_fuzzy) {
		if (wl_line_edit_key(&l->find, k) == WL_EDIT_CHANGED)
			narrow(l);
		return true;
	}
	if (k >= '1' && k <= '9')
		return choose(l, k - '1');
	if (k == 'j' || k == 'k')
		(void)wl_scroll_key(k == 'j' ? WL_KEY_DOWN : WL_KEY_UP, l->n_shown, 1, &l->at);
	return k != 'q';
}

static bool mouse(struct wl_overlay *o, const struct wl_event *e)
{
	struct list *l = (struct list *)o;

	if (e->mouse == WL_MOUSE_WHEEL_UP || e->mouse == WL_MOUSE_WHEEL_DOWN) {
		uint32_t k = e->mouse == WL_MOUSE_WHEEL_UP ? WL_KEY_UP : WL_KEY_DOWN;

		(void)wl_scroll_key(k, l->n_shown, 1, &l->at);
		return true;
	}
	if (e->mouse != WL_MOUSE_PRESS)
		return true;
	return wl_overlay_box_has(&l->box, e->x, e->y) &&
	       choose(l, l->first + (size_t)(e->y - l->box.y));
}

static void end(struct wl_overlay *o)
{
	struct list *l = (struct list *)o;

	if (l->is_chosen && l->opts.chosen)
		l->opts.chosen(l->opts.ctx, l->shown[l->at]);
}

static const struct wl_overlay_ops ops = {
	.name = "list", .draw = draw, .key = key, .mouse = mouse, .end = end
};

static bool copy_items(struct list *l, const struct wl_list_opts *opts)
{
	struct wl_arena *arena = &l->base.arena;
	const char **items = WL_NEW(arena, const char *, opts->n + 1);

	l->opts = *opts;
	l->opts.title = wl_arena_strdup(arena, opts->title);
	l->shown = WL_NEW(arena, uint32_t, opts->n + 1);
	l->scratch = WL_NEW(arena, uint32_t, opts->n + 1);
	l->score = WL_NEW(arena, int, opts->n + 1);
	if (!items || !l->opts.title || !l->shown || !l->scratch || !l->score)
		return false;
	for (size_t i = 0; i < opts->n; i++) {
		size_t width = wl_utf8_width(opts->items[i]);

		items[i] = wl_arena_strdup(arena, opts->items[i]);
		if (!items[i])
			return false;
		if (width < WL_SCREEN_MAX && (int)width > l->width)
			l->width = (int)width;
	}
	l->opts.items = items;
	return true;
}

struct wl_overlay *wl_list_new(const struct wl_list_opts *opts, struct wl_budget *budget)
{
	struct list *l = wl_overlay_alloc(&ops, sizeof(*l), budget);

	if (!l)
		return NULL;
	if (!copy_items(l, opts)) {
		wl_overlay_free(&l->base);
		return NULL;
	}
	wl_line_edit_init(&l->find, "");
	l->height = 1;
	narrow(l);
	return &l->base;
}
