/* SPDX-License-Identifier: MIT */
/*
 * clean.h - text of a trace, a file name or a server as it may reach a terminal or the log of a CI
 * job.
 *
 * Controls, bidirectional marks and line separators become "?", malformed bytes U+FFFD. Commands to
 * a log (base/log_command.h) lose their first character. Tables have the same rules in
 * render/words/line.h; words of a command line are quoted instead (base/shell.h).
 */
#ifndef WL_BASE_CLEAN_H
#define WL_BASE_CLEAN_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "base/arena.h"

/* A terminal or a reader's eye would obey this character instead of showing it. */
bool wl_clean_is_acting(uint32_t cp);

/* Write a text as one line or a part of it: newlines and tabs are controls, too. */
void wl_put_clean(FILE *out, const char *text);

/* The same for at most its first n bytes; a character that begins there is whole. */
void wl_put_clean_part(FILE *out, const char *text, size_t n);

/* Write a text of several lines: newlines stay, each line is clean. */
void wl_put_clean_lines(FILE *out, const char *text);

/* The text as wl_put_clean() writes it: itself where it is clean already. NULL without memory. */
const char *wl_clean_line(const char *text, struct wl_arena *arena);

#endif
