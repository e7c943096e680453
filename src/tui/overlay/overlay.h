/* SPDX-License-Identifier: MIT */
/*
 * overlay.h - a layer over a view: a text, a list, a heat map, settings, or a line that is typed.
 *
 * An overlay gets keys and the mouse before the view does. It says when it is over; its
 * owner then takes it off the screen, lets it deliver its result, and frees it, in this
 * order, so that a result may open another one.
 */
#ifndef WL_TUI_OVERLAY_H
#define WL_TUI_OVERLAY_H

#include "base/memory/arena.h"
#include "tui/term/event.h"
#include "tui/term/screen.h"

struct wl_overlay {
	const struct wl_overlay_ops *ops;
	struct wl_arena arena; /* owns it, and what it shows */
};

struct wl_overlay_ops {
	const char *name;
	void (*draw)(struct wl_overlay *o, struct wl_screen *s);
	/* False: it is over. */
	bool (*key)(struct wl_overlay *o, uint32_t key);
	bool (*mouse)(struct wl_overlay *o, const struct wl_event *event);
	/* Deliver the result; NULL: there is none. */
	void (*end)(struct wl_overlay *o);
};

/* What is typed; the i-th item; a number that the user may change, with the words of its values. */
typedef void wl_line_fn(void *ctx, const char *text);
typedef void wl_choice_fn(void *ctx, size_t i);
struct wl_setting {
	const char *name;
	int *value;
	int min, max;
	const char *const *words; /* of the values from min on; NULL: numbers */
};

/* Texts and arrays below are copied. */
struct wl_prompt_opts {
	const char *label;
	const char *text;    /* to begin with */
	wl_line_fn *changed; /* with each change; NULL for none */
	wl_line_fn *done;    /* with the line, or NULL after Esc */
	void *ctx;
};

/* Columns that a text of wl_text_new has on a screen; 0 where it is too narrow for one. */
int wl_text_width(const struct wl_screen *screen);

/* Each NULL without memory. Free. */
struct wl_overlay *wl_prompt_new(const struct wl_prompt_opts *opts,
				 struct wl_budget *budget) WL_MUST_CHECK;
struct wl_overlay *wl_text_new(const char *title, const char *text,
			       struct wl_budget *budget) WL_MUST_CHECK;

/* is_fuzzy: what is typed narrows the list; else digits choose. */
struct wl_list_opts {
	const char *title;
	const char *const *items;
	size_t n;
	bool is_fuzzy;
	wl_choice_fn *chosen;
	void *ctx;
};
struct wl_overlay *wl_list_new(const struct wl_list_opts *opts,
			       struct wl_budget *budget) WL_MUST_CHECK;

/* A heat map, which is not copied and has items; chosen gets the item of a cell. */
struct wl_heat;
struct wl_heat_opts {
	const char *title;
	const struct wl_heat *heat;
	void (*chosen)(void *ctx, uint32_t item);
	void *ctx;
};
struct wl_overlay *wl_heat_new(const struct wl_heat_opts *opts,
			       struct wl_budget *budget) WL_MUST_CHECK;

struct wl_settings_opts {
	const char *title;
	const struct wl_setting *settings; /* what they point to is not copied */
	size_t n;
	void (*changed)(void *ctx);
	void *ctx;
};
struct wl_overlay *wl_settings_new(const struct wl_settings_opts *opts,
				   struct wl_budget *budget) WL_MUST_CHECK;
void wl_overlay_free(struct wl_overlay *o); /* accepts NULL */

/*
 * How well a name fits what was typed: 0 not at all, else the more the better. All
 * characters of the pattern must be there, in order, whatever their case.
 */
int wl_fuzzy_score(const char *pattern, const char *name);

/* ---- For overlays ---- */

struct wl_overlay_box {
	int x, y, width, height;
};

/*
 * A frame in the middle of the screen with a title above and a hint below, for an inside of
 * the wanted size, as far as there is room over the footer. Returns the inside.
 */
struct wl_overlay_box wl_overlay_frame(struct wl_screen *s, const char *title, const char *hint,
				       int width, int height);

bool wl_overlay_box_has(const struct wl_overlay_box *box, int x, int y);

/* The overlay's memory: an object that begins with a struct wl_overlay. NULL without memory. */
void *wl_overlay_alloc(const struct wl_overlay_ops *ops, size_t size,
		       struct wl_budget *budget) WL_MUST_CHECK;

/* A list of lines of which some are seen: the first one, moved so that the chosen one is. */
size_t wl_scroll_to(size_t first, size_t chosen, size_t height);

/* Where Up, Down, PgUp, PgDn, Home, End move in n lines; false for other keys. */
bool wl_scroll_key(uint32_t key, size_t n, size_t page, size_t *at);

#endif
