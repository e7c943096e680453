/* SPDX-License-Identifier: MIT */
/*
 * term.h - the real terminal: shows a screen and delivers events.
 *
 * There is one at a time. Whatever ends the program, the terminal is left as it was:
 * its modes, the cursor, the main screen, no mouse reports; also after a signal, a
 * suspension (Ctrl+Z and back) and a crash.
 */
#ifndef WL_TUI_TERM_H
#define WL_TUI_TERM_H

#include "base/err.h"
#include "tui/term/event.h"
#include "tui/term/screen.h"

struct wl_term;

/* The caller has set LC_CTYPE of the locale, by which curses writes characters. */
struct wl_term_opts {
	const char *term;      /* $TERM; NULL fails with a hint */
	const char *colorterm; /* $COLORTERM; NULL for none */
	bool ascii;            /* --ascii, or the codeset is not UTF-8 */
	bool light;            /* the background is light, as $COLORFGBG may say */
	bool no_colour;        /* $NO_COLOR */
	bool no_mouse;
};

/* WL_E_USAGE where standard input or output is no terminal, or $TERM is unknown or dumb. */
int wl_term_open(const struct wl_term_opts *opts, struct wl_term **ret,
		 struct wl_err *reterr) WL_MUST_CHECK;
void wl_term_close(struct wl_term *term); /* accepts NULL */

struct wl_look_caps wl_term_caps(const struct wl_term *term);
void wl_term_size(const struct wl_term *term, int *ret_cols, int *ret_rows);

/* Show the screen: what differs from what is there. Without colours where its caps say so. */
void wl_term_show(struct wl_term *term, const struct wl_screen *screen);
/* Redraw all at the next show: Ctrl+L. */
void wl_term_forget(struct wl_term *term);

/*
 * Wait for an event, at most that long, < 0: for ever; NONE when there was none. After
 * a stop the size comes as an event again, so that views redraw.
 */
void wl_term_next(struct wl_term *term, int timeout_ms, struct wl_event *ret);

/* Switch mouse reports. */
void wl_term_mouse(struct wl_term *term, bool on);

/* Put text into the clipboard of the user's terminal (OSC 52), as far as that takes it. */
void wl_term_copy(struct wl_term *term, const char *text);

/* Restore the terminal, stop as Ctrl+Z does, and take it again when continued. */
void wl_term_suspend(struct wl_term *term);

#endif
