/* SPDX-License-Identifier: MIT */
/* overlay_settings.c - numbers with bounds, changed while one sees what they do. */
#include "base/text/utf8.h"
#include "tui/overlay/overlay.h"

struct settings {
	struct wl_overlay base;
	const char *title;
	struct wl_setting *at; /* copies; names, words and values are the caller's */
	size_t n;
	int name_width, word_width;
	size_t chosen, first, height;
	struct wl_overlay_box box;
	void (*changed)(void *ctx);
	void *ctx;
};

static void draw_setting(const struct settings *p, struct wl_screen *s, int y, size_t i)
{
	const struct wl_setting *v = &p->at[i];
	struct wl_style style = WL_STYLE_PLAIN;
	int x = p->box.x + p->name_width + 2, width = p->box.x + p->box.width - x;

	if (i == p->chosen)
		style.attrs = WL_ATTR_REVERSE;
	wl_screen_fill(s, p->box.x, y, p->box.width, 1, style);
	(void)wl_screen_label(s, p->box.x, y, p->box.width, style, v->name);
	if (v->words)
		(void)wl_screen_print(s, x, y, width, style, "< %s >",
				      v->words[*v->value - v->min]);
	else
		(void)wl_screen_print(s, x, y, width, style, "< %d >  (%d-%d)", *v->value, v->min,
				      v->max);
}

static void draw(struct wl_overlay *o, struct wl_screen *s)
{
	struct settings *p = (struct settings *)o;

	p->box =
		wl_overlay_frame(s, p->title, "Left Right change  Esc close",
				 p->name_width + p->word_width + 8, p->n < 4096 ? (int)p->n : 4096);
	p->height = (size_t)p->box.height;
	p->first = wl_scroll_to(p->first, p->chosen, p->height);
	for (size_t i = 0; i < p->height && p->first + i < p->n; i++)
		draw_setting(p, s, p->box.y + (int)i, p->first + i);
}

/* Words go round, numbers stop. */
static void change(struct settings *p, int by)
{
	const struct wl_setting *v = &p->at[p->chosen];
	int to;

	if (p->n == 0)
		return;
	to = *v->value + by;
	if (v->words && to > v->max)
		to = v->min;
	if (v->words && to < v->min)
		to = v->max;
	if (to < v->min || to > v->max || to == *v->value)
		return;
	*v->value = to;
	if (p->changed)
		p->changed(p->ctx);
}

static bool key(struct wl_overlay *o, uint32_t k)
{
	struct settings *p = (struct settings *)o;

	switch (k) {
	case WL_KEY_ESC:
	case WL_KEY_ENTER:
	case 'q':
		return false;
	case WL_KEY_LEFT:
	case '-':
	case '_':
		change(p, -1);
		return true;
	case WL_KEY_RIGHT:
	case '+':
	case '=':
	case ' ':
		change(p, 1);
		return true;
	case 'j':
		k = WL_KEY_DOWN;
		break;
	case 'k':
		k = WL_KEY_UP;
		break;
	default:
		break;
	}
	(void)wl_scroll_key(k, p->n, p->height, &p->chosen);
	return true;
}

static bool mouse(struct wl_overlay *o, const struct wl_event *e)
{
	struct settings *p = (struct settings *)o;
	size_t i;

	if (e->mouse == WL_MOUSE_WHEEL_UP || e->mouse == WL_MOUSE_WHEEL_DOWN) {
		change(p, e->mouse == WL_MOUSE_WHEEL_UP ? 1 : -1);
		return true;
	}
	if (e->mouse != WL_MOUSE_PRESS)
		return true;
	if (!wl_overlay_box_has(&p->box, e->x, e->y))
		return false;
	i = p->first + (size_t)(e->y - p->box.y);
	if (i == p->chosen)
		change(p, e->button == 1 ? 1 : -1);
	else if (i < p->n)
		p->chosen = i;
	return true;
}

static const struct wl_overlay_ops ops = {
	.name = "settings", .draw = draw, .key = key, .mouse = mouse
};

static void measure(struct settings *p, const struct wl_setting *v)
{
	int width = (int)wl_utf8_width(v->name);

	if (width > p->name_width)
		p->name_width = width;
	for (int i = v->min; v->words && i <= v->max; i++) {
		width = (int)wl_utf8_width(v->words[i - v->min]);
		if (width > p->word_width)
			p->word_width = width;
	}
}

struct wl_overlay *wl_settings_new(const struct wl_settings_opts *opts, struct wl_budget *budget)
{
	struct settings *p = wl_overlay_alloc(&ops, sizeof(*p), budget);

	if (!p)
		return NULL;
	p->title = wl_arena_strdup(&p->base.arena, opts->title);
	p->at = WL_NEW(&p->base.arena, struct wl_setting, opts->n + 1);
	if (!p->title || !p->at) {
		wl_overlay_free(&p->base);
		return NULL;
	}
	p->word_width = 9; /* a number and its bounds */
	for (size_t i = 0; i < opts->n; i++) {
		p->at[i] = opts->settings[i];
		measure(p, &opts->settings[i]);
	}
	p->n = opts->n;
	p->height = 1;
	p->changed = opts->changed;
	p->ctx = opts->ctx;
	return &p->base;
}
