/* SPDX-License-Identifier: MIT */
/* line_edit.h - a line of UTF-8 that is being typed. */
#ifndef WL_TUI_LINE_EDIT_H
#define WL_TUI_LINE_EDIT_H

#include "tui/term/event.h"
#include "tui/term/screen.h"

enum { WL_LINE_CAP = 1024 }; /* bytes, with the NUL; more is not taken */

struct wl_line_edit {
	char text[WL_LINE_CAP]; /* always well-formed */
	size_t n;               /* bytes */
	size_t at;              /* where the next character goes, in bytes */
};

enum wl_edited { WL_EDIT_NOT_MINE, WL_EDIT_MOVED, WL_EDIT_CHANGED };

/* With a text to begin with, cut where it is too long; the cursor is behind it. */
void wl_line_edit_init(struct wl_line_edit *e, const char *text);

/*
 * Characters, Backspace, Delete, Left, Right, Home, End, and what shells have: C-a, C-e,
 * C-b, C-f, C-u, C-k, C-w. Enter, Esc and the like are the caller's.
 */
enum wl_edited wl_line_edit_key(struct wl_line_edit *e, uint32_t key);

/* Draw in width cells, with the part around the cursor where it is too long, and put the cursor. */
void wl_line_edit_draw(const struct wl_line_edit *e, struct wl_screen *s, int x, int y, int width,
		       struct wl_style style);

#endif
