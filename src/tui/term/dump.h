/* SPDX-License-Identifier: MIT */
/*
 * dump.h - a screen as bytes: for tests, and for users who want to keep it.
 *
 * All append lines that end in a newline to out, a vector of bytes, UTF-8. No byte of
 * them is a control but newlines and the colours of ansi. Failure is out->failed.
 */
#ifndef WL_TUI_DUMP_H
#define WL_TUI_DUMP_H

#include "base/memory/vec.h"
#include "tui/term/ink.h"
#include "tui/term/screen.h"

/* Without blanks at the end of lines. */
void wl_dump_text(const struct wl_screen *s, struct wl_vec *out);

/* Every line as wide as the screen. */
void wl_dump_cells(const struct wl_screen *s, struct wl_vec *out);

/* As wide, and with colours and attributes, for a terminal with a dark background. */
void wl_dump_ansi(const struct wl_screen *s, enum wl_depth depth, struct wl_vec *out);

#endif
