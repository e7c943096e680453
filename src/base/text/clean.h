/* SPDX-License-Identifier: MIT */
/*
 * clean.h - text of a trace, a file name or a server as it may reach a terminal or the log of a CI
 * job.
 *
 * This is the one place for names and messages that are printed as they are. What acts, and the
 * first character of commands to a log (base/text/log_command.h), becomes U+FFFD, as do malformed
 * bytes. Cells of tables have the same rules in render/words/line.h, which counts columns and can
 * do with ASCII; words of a command line are quoted instead (base/text/shell.h).
 */
#ifndef WL_BASE_CLEAN_H
#define WL_BASE_CLEAN_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "base/memory/arena.h"

/* A terminal or a reader's eye would obey this character instead of showing it. */
bool wl_clean_is_acting(uint32_t cp);

/* Write a text as one line or a part of it: newlines and tabs are controls, too. */
void wl_put_clean(FILE *out, const char *text);

/* The same for at most its first n bytes; a character that begins there is whole. */
void wl_put_clean_part(FILE *out, const char *text, size_t n);

/* The same where a line begins: a dollar as a word goes, too. */
void wl_put_clean_first(FILE *out, const char *text, size_t n);

/* Write a text of several lines: newlines stay, no line is a command to a log or begins with $. */
void wl_put_clean_lines(FILE *out, const char *text);

/* The same of a plan, whose lines to paste begin with $: its maker cleaned and quoted names. */
void wl_put_clean_plan(FILE *out, const char *text);

/* The same of at most n bytes into a buffer of cap bytes, in whole characters as far as they fit.
 */
void wl_clean_copy(char *out, size_t cap, const char *text, size_t n);

/* The text as one such line: itself where it is clean already. NULL without memory. */
const char *wl_clean_line(const char *text, struct wl_arena *arena);

#endif
