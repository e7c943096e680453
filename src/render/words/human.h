/* SPDX-License-Identifier: MIT */
/* human.h - cells with units, and text that is safe to show. */
#ifndef WL_RENDER_HUMAN_H
#define WL_RENDER_HUMAN_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "base/text/units.h"
#include "table/table.h"

#define WL_REPLACEMENT "\xEF\xBF\xBD" /* U+FFFD, shown in place of what must not be */

/*
 * The cell in words and units, "-" when unset, "" where it does not hold. Points to buf, to a
 * constant or to the cell's own string, which may still hold control characters.
 */
const char *wl_human_cell(const struct wl_col *col, struct wl_cell cell, enum wl_timeunit unit,
			  char buf[WL_UNITS_BUF]);

/*
 * Levels of a tree that are shown by indentation. A deeper row is indented as far and
 * shows its level in front of its name ("40: gemm"): a hostile tree of 100,000 levels
 * would otherwise be gigabytes of spaces.
 */
enum { WL_MAX_INDENT = 32 };

/* A change that is above 0: people see a + before it. */
bool wl_human_is_increase(const struct wl_col *col, struct wl_cell cell);

/* True when a column of this type is aligned to the right. */
bool wl_human_is_number(enum wl_type type);

/*
 * The next character of *s that may be shown, 0 at the end: controls, bidirectional
 * overrides, line separators and malformed bytes become U+FFFD. Newlines and tabs
 * are controls too.
 */
uint32_t wl_human_next(const char **s);

/* What to write for a character, or NULL for the character itself. */
typedef const char *wl_escape(uint32_t cp);

/* Only what wl_human_next replaces. */
wl_escape wl_escape_human;

/* Only controls: for formats that carry data to programs. */
wl_escape wl_escape_control;

/* Write s through an escape; malformed bytes become U+FFFD. */
void wl_put_escaped(FILE *out, const char *s, wl_escape *escape);

/*
 * The same for at most width > 0 columns of a terminal, with an ellipsis where it is cut. What
 * it writes is bounded by the width, also where characters take none. Commands that a CI log obeys
 * anywhere in a line (base/text/log_command.h) lose their first character.
 */
void wl_put_escaped_cut(FILE *out, const char *s, size_t width, wl_escape *escape);

/*
 * Where a document has all rows in another file, a longer name is cut in the page: the
 * file has it whole.
 */
enum { WL_CUT_NAME = 300 };

#endif
