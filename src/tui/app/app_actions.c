/* SPDX-License-Identifier: MIT */
/* app_actions.c - the actions of the program itself, and help about all of them. */
#include <stdio.h>
#include <string.h>

#include "base/memory/vec.h"
#include "base/text/utf8.h"
#include "known/glyphs.h"
#include "tui/app/app_parts.h"

/* The keys of an action in the current view: "h, ?, F1". */
static void keys_of(const struct wl_app *app, enum wl_action action, char *buf, size_t size)
{
	size_t used = 0;

	buf[0] = '\0';
	for (size_t i = 0; used < size; i++) {
		uint32_t key = wl_keymap_key(&app->opts.keys, app->current, action, i);
		char name[WL_KEY_NAME_BUF];
		int n;

		if (!key)
			break;
		n = snprintf(buf + used, size - used, "%s%s", i > 0 ? " " : "",
			     wl_key_label(key, app->screen.caps.ascii, name));
		used += n > 0 ? (size_t)n : size;
	}
	/* What has no key is chosen by its name. */
	if (used == 0)
		(void)snprintf(buf, size, ":%s", wl_actions[action].name);
}

static bool is_here(const struct wl_app *app, enum wl_action action)
{
	return wl_actions[action].views >> app->current & 1;
}

static void append(struct wl_vec *text, const char *s)
{
	size_t n = strlen(s);
	char *to = wl_vec_extend(text, n);

	for (size_t i = 0; to && i < n; i++)
		to[i] = s[i];
}

/* The keys take their own number of cells, so that what follows stands below each other. */
static void put_padded(struct wl_vec *text, const char *s, size_t width, size_t to)
{
	append(text, s);
	do
		append(text, " ");
	while (++width < to);
}

/* Whether a title is followed by an action of the view before the next one. */
static bool has_actions(const struct wl_app *app, size_t title)
{
	for (size_t i = title + 1; i < wl_n_help_items && !wl_help_items[i].title; i++) {
		if (is_here(app, wl_help_items[i].action))
			return true;
	}
	return false;
}

static void put_help(const struct wl_app *app, struct wl_vec *text)
{
	for (size_t i = 0; i < wl_n_help_items; i++) {
		const struct wl_help_item *item = &wl_help_items[i];
		char keys[80];

		if (item->title && has_actions(app, i)) {
			append(text, text->n > 0 ? "\n" : "");
			append(text, item->title);
			append(text, "\n");
		}
		if (item->title || !is_here(app, item->action))
			continue;
		keys_of(app, item->action, keys, sizeof(keys));
		append(text, "  ");
		put_padded(text, keys, wl_utf8_width(keys), 16);
		append(text, wl_actions[item->action].help);
		append(text, "\n");
	}
}

/* The row of gaps shows why a GPU waited with a letter each. */
static void put_gap_letters(const struct wl_app *app, struct wl_vec *text)
{
	bool ascii = app->screen.caps.ascii;

	append(text, "\nLetters of the row gap: why the GPU waited\n");
	for (size_t i = 0; wl_glyph_at(i); i++) {
		const struct wl_glyph *g = wl_glyph_at(i);

		if (strcmp(g->part, "compute") == 0) /* no gap */
			continue;
		append(text, "  ");
		put_padded(text, ascii ? g->ascii : g->text, 1, 16);
		append(text, g->help);
		append(text, "\n");
	}
}

static void show_help(struct wl_app *app)
{
	struct wl_vec text;

	wl_vec_init(&text, 1, app->opts.budget);
	put_help(app, &text);
	if (app->current == WL_VIEW_TIMELINE)
		put_gap_letters(app, &text);
	wl_vec_push(&text, "");
	if (text.failed)
		wl_app_say(app, "no memory for help");
	else
		wl_app_show_text(app, "Help", text.data);
	wl_vec_release(&text);
}

/* ---- The palette ---- */

static size_t actions_here(const struct wl_app *app, enum wl_action ret[WL_N_ACTIONS])
{
	size_t n = 0;

	for (size_t a = 1; a < WL_N_ACTIONS; a++) {
		if (is_here(app, (enum wl_action)a) && a != WL_ACT_PALETTE)
			ret[n++] = (enum wl_action)a;
	}
	return n;
}

static void do_chosen(void *ctx, size_t i)
{
	struct wl_app *app = ctx;
	enum wl_action actions[WL_N_ACTIONS];

	(void)actions_here(app, actions);
	wl_app_do(app, actions[i]);
}

static void show_palette(struct wl_app *app)
{
	enum wl_action actions[WL_N_ACTIONS];
	const char *items[WL_N_ACTIONS];
	struct wl_list_opts opts = { .title = "Actions",
				     .items = items,
				     .n = actions_here(app, actions),
				     .is_fuzzy = true,
				     .chosen = do_chosen,
				     .ctx = app };
	struct wl_arena arena;

	wl_arena_init_on(&arena, app->opts.budget);
	for (size_t i = 0; i < opts.n; i++) {
		char *item = WL_NEW(&arena, char, 256), keys[64];
		int pad;

		if (!item) {
			opts.n = i;
			break;
		}
		keys_of(app, actions[i], keys, sizeof(keys));
		/* Signs of several bytes take one cell. */
		pad = 12 + (int)(strlen(keys) - wl_utf8_width(keys));
		(void)snprintf(item, 256, "%-22s %-*s %s", wl_actions[actions[i]].name, pad, keys,
			       wl_actions[actions[i]].help);
		items[i] = item;
	}
	wl_app_put_overlay(app, wl_list_new(&opts, app->opts.budget));
	wl_arena_release(&arena);
}

/* ---- All ---- */

static void next_names(struct wl_app *app)
{
	static const char *const words[] = { "short", "full", "mangled" };

	app->names = (enum wl_name_style)((app->names + 1) % WL_N_NAME_STYLES);
	wl_app_say(app, "names: %s", words[app->names]);
}

static bool do_own(struct wl_app *app, enum wl_action action)
{
	switch ((int)action) {
	case WL_ACT_NONE:
		return true;
	case WL_ACT_HELP:
		show_help(app);
		return true;
	case WL_ACT_PALETTE:
		show_palette(app);
		return true;
	case WL_ACT_REDRAW:
		app->wants_redraw = true;
		return true;
	case WL_ACT_SUSPEND:
		app->wants_suspend = true;
		return true;
	case WL_ACT_QUIT:
		app->is_done = true;
		return true;
	default:
		return false;
	}
}

void wl_app_do(struct wl_app *app, enum wl_action action)
{
	if (do_own(app, action))
		return;
	if (!wl_app_is_ready(app)) {
		wl_app_say(app, "the trace is still being read");
		return;
	}
	if (action == WL_ACT_NAMES)
		next_names(app);
	if (!app->opts.views[app->current]->act(app->view[app->current], action) &&
	    action != WL_ACT_NAMES && action != WL_ACT_BACK)
		wl_app_say(app, "%s: not here", wl_actions[action].name);
}
