/* SPDX-License-Identifier: MIT */
/*
 * screen.h - a grid of cells that views draw into, their only access to the terminal.
 *
 * A cell holds one character. Text is cut by cells, never by bytes, and nothing that is
 * written to a cell can move a cursor or change a colour: controls and what reorders
 * text become a replacement, what takes no room is left out, and of a wide character
 * that does not fit nothing is drawn. Drawing outside of the grid does nothing. So the
 * grid is tested without a terminal, and a terminal only copies it.
 */
#ifndef WL_TUI_SCREEN_H
#define WL_TUI_SCREEN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/attr.h"
#include "base/memory/budget.h"
#include "known/palette.h"

/*
 * What a cell is painted with. The colours of the palette come first, with the same
 * numbers; which colour of a terminal an ink becomes, if any, is ink.h's business.
 */
enum wl_ink {
	WL_INK_NEUTRAL = WL_COLOUR_NEUTRAL,
	WL_INK_DEFAULT = WL_N_COLOURS, /* the terminal's own */
	WL_INK_DIM,                    /* lines, hints */
	WL_INK_TITLE,                  /* head and foot of the screen, with REVERSE */
	WL_INK_ALERT,                  /* what must be seen */
	WL_INK_HEAT,                   /* the palest of heat maps; the others follow */
	WL_N_INKS = WL_INK_HEAT + WL_N_HEATS
};

enum wl_attr { WL_ATTR_BOLD = 1 << 0, WL_ATTR_REVERSE = 1 << 1, WL_ATTR_UNDERLINE = 1 << 2 };

struct wl_style {
	uint8_t fg, bg; /* enum wl_ink */
	uint8_t attrs;  /* enum wl_attr */
};

#define WL_STYLE_PLAIN ((struct wl_style){ WL_INK_DEFAULT, WL_INK_DEFAULT, 0 })

struct wl_screen_cell {
	uint32_t cp; /* 0: the right half of the wide character to the left */
	struct wl_style style;
};

/* What the terminal, or a reader of the screen, can show. */
struct wl_look_caps {
	bool ascii;     /* nothing but ASCII */
	bool colourful; /* inks differ; else views tell things apart by their glyphs */
};

struct wl_screen {
	int cols, rows;
	struct wl_screen_cell *cell; /* rows x cols */
	size_t cap;                  /* cells that there is room for */
	struct wl_look_caps caps;
	int cursor_x, cursor_y; /* of a prompt; -1: hidden */
	struct wl_budget *budget;
};

enum { WL_SCREEN_MAX = 4096 }; /* columns, and rows */

/* 0 x 0, for a terminal that can show everything. The budget must outlive it. */
void wl_screen_init(struct wl_screen *s, struct wl_budget *budget);
/* Blank, of this size, which is clamped to 0..WL_SCREEN_MAX. False without memory: 0 x 0 then. */
bool wl_screen_resize(struct wl_screen *s, int cols, int rows) WL_MUST_CHECK;
void wl_screen_clear(struct wl_screen *s); /* blank, and without a cursor */
void wl_screen_release(struct wl_screen *s);

/* One character, as text would show it. */
void wl_screen_put(struct wl_screen *s, int x, int y, uint32_t cp, struct wl_style style);

/*
 * Text from x, at most width cells, of which those outside of the grid are not drawn;
 * returns how many cells it took, those outside included. Malformed UTF-8, controls and
 * newlines become a replacement of one cell. Where caps.ascii says so, other characters
 * become '?', two for a wide one; but for the glyphs of glyph.h, which have a substitute.
 */
int wl_screen_text(struct wl_screen *s, int x, int y, int width, struct wl_style style,
		   const char *text);
/* The same of a formatted text, of at most 1023 bytes. */
int wl_screen_print(struct wl_screen *s, int x, int y, int width, struct wl_style style,
		    const char *fmt, ...) WL_PRINTF(6, 7);
/* The same, but a text that is too long is cut and ends in an ellipsis ("~" in ASCII). */
int wl_screen_label(struct wl_screen *s, int x, int y, int width, struct wl_style style,
		    const char *text);

/* Blanks of that style. */
void wl_screen_fill(struct wl_screen *s, int x, int y, int width, int height,
		    struct wl_style style);

/* Add attributes to what is there, both halves of a wide character. */
void wl_screen_mark(struct wl_screen *s, int x, int y, int width, uint8_t attrs);

const struct wl_screen_cell *wl_screen_at(const struct wl_screen *s, int x, int y); /* in range */

#endif
