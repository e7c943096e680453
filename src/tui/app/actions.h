/* SPDX-License-Identifier: MIT */
/*
 * actions.h - the table of everything that a user can do (actions.def).
 *
 * Dispatcher, footer, help, palette, manual page and tests are made of it. A key means
 * one action per view; which key, a keymap says, and that may be changed.
 */
#ifndef WL_TUI_ACTIONS_H
#define WL_TUI_ACTIONS_H

#include "base/attr.h"
#include "base/err.h"
#include "tui/term/event.h"

enum wl_view_id { WL_VIEW_TIMELINE, WL_VIEW_TREE, WL_N_VIEWS };

enum wl_action {
	WL_ACT_NONE,
#define WL_ACTION(ID, views, name, keys, foot, help) WL_ACT_##ID,
#include "tui/app/actions.def"
#undef WL_ACTION
	WL_N_ACTIONS
};

struct wl_action_info {
	unsigned views;   /* bits 1 << enum wl_view_id */
	const char *name; /* by which the palette and key files call it: "zoom-in" */
	const char *keys; /* names separated by blanks, as it is delivered; "" for none */
	const char *foot; /* a word for the footer, maybe a digit before it; "" leaves it out */
	const char *help; /* one sentence */
};

extern const struct wl_action_info wl_actions[WL_N_ACTIONS]; /* [0] is of WL_ACT_NONE */

/* A line of help: the title of a group, or else an action. */
struct wl_help_item {
	const char *title; /* NULL: it is an action */
	enum wl_action action;
};

extern const struct wl_help_item wl_help_items[];
extern const size_t wl_n_help_items;

enum { WL_MAX_KEYS = 512 };

struct wl_keymap {
	size_t n;
	struct {
		uint32_t key;
		enum wl_view_id view;
		enum wl_action action;
	} at[WL_MAX_KEYS];
};

/* As delivered. */
void wl_keymap_init(struct wl_keymap *map);

/*
 * Change it as lines "KEY ACTION" say, in each view that has the action. Later ones win,
 * the action "none" takes a key away everywhere, and lines that begin with "#" are comments.
 * source is what messages call the lines. WL_E_USAGE with the number of the line; the map
 * is as before then.
 */
int wl_keymap_change(struct wl_keymap *map, const char *lines, const char *source,
		     struct wl_err *reterr) WL_MUST_CHECK;
extern const char wl_keys_perfetto[]; /* lines: WASD as in Perfetto */

enum wl_action wl_keymap_find(const struct wl_keymap *map, enum wl_view_id view, uint32_t key);

/* The i-th key of an action, 0 for none: those that were changed first, then as delivered. */
uint32_t wl_keymap_key(const struct wl_keymap *map, enum wl_view_id view, enum wl_action action,
		       size_t i);

/* By name; NONE for none. */
enum wl_action wl_action_find(const char *name);

#endif
