/* SPDX-License-Identifier: MIT */
/* overlay_prompt.c - a line that is typed, where the footer is. */
#include "tui/overlay/overlay.h"
#include "tui/term/line_edit.h"

struct prompt {
	struct wl_overlay base;
	const char *label;
	struct wl_line_edit edit;
	wl_line_fn *changed, *done;
	void *ctx;
	bool is_kept; /* Enter, not Esc */
};

static void draw(struct wl_overlay *o, struct wl_screen *s)
{
	const struct prompt *p = (const struct prompt *)o;
	const struct wl_style bold = { WL_INK_DEFAULT, WL_INK_DEFAULT, WL_ATTR_BOLD };
	int y = s->rows >= 2 ? s->rows - 2 : 0, x;

	wl_screen_fill(s, 0, y, s->cols, 1, WL_STYLE_PLAIN);
	x = wl_screen_label(s, 0, y, s->cols / 2, bold, p->label) + 1;
	wl_line_edit_draw(&p->edit, s, x, y, s->cols - x, WL_STYLE_PLAIN);
}

static bool key(struct wl_overlay *o, uint32_t k)
{
	struct prompt *p = (struct prompt *)o;

	if (k == WL_KEY_ENTER || k == WL_KEY_ESC) {
		p->is_kept = k == WL_KEY_ENTER;
		return false;
	}
	if (wl_line_edit_key(&p->edit, k) == WL_EDIT_CHANGED && p->changed)
		p->changed(p->ctx, p->edit.text);
	return true;
}

static void end(struct wl_overlay *o)
{
	struct prompt *p = (struct prompt *)o;

	if (p->done)
		p->done(p->ctx, p->is_kept ? p->edit.text : NULL);
}

static const struct wl_overlay_ops ops = { .name = "prompt", .draw = draw, .key = key, .end = end };

struct wl_overlay *wl_prompt_new(const struct wl_prompt_opts *opts, struct wl_budget *budget)
{
	struct prompt *p = wl_overlay_alloc(&ops, sizeof(*p), budget);

	if (!p)
		return NULL;
	p->label = wl_arena_strdup(&p->base.arena, opts->label);
	wl_line_edit_init(&p->edit, opts->text);
	p->changed = opts->changed;
	p->done = opts->done;
	p->ctx = opts->ctx;
	if (!p->label) {
		wl_overlay_free(&p->base);
		return NULL;
	}
	return &p->base;
}
