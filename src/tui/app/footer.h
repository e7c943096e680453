/* SPDX-License-Identifier: MIT */
/* footer.h - the line of keys below a view, made of the table of actions. */
#ifndef WL_TUI_FOOTER_H
#define WL_TUI_FOOTER_H

#include "tui/app/actions.h"
#include "tui/term/screen.h"

enum { WL_MAX_FOOTER = 64 };

/* Which cells of the line do what. */
struct wl_footer {
	size_t n;
	struct {
		int begin, end;
		enum wl_action action;
	} at[WL_MAX_FOOTER];
};

/* Draw the keys of a view from x on, as far as there is room; actions.def says what gives way. */
void wl_footer_draw(struct wl_footer *footer, struct wl_screen *s, int x, int y,
		    const struct wl_keymap *keys, enum wl_view_id view);

/* What a click there does; NONE for nothing. */
enum wl_action wl_footer_at(const struct wl_footer *footer, int x);

/* How people call a key: an arrow by its sign, if there is one, else by its name. */
const char *wl_key_label(uint32_t key, bool ascii, char buf[WL_KEY_NAME_BUF]);

#endif
