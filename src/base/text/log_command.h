/* SPDX-License-Identifier: MIT */
/*
 * log_command.h - text that the log of a CI job would take for a command, and a reader, too.
 *
 * GitHub's runner obeys lines that begin with "::name" behind blanks of any script, and "##[name"
 * anywhere in a line; Azure's "##vso[name". A name in a trace must not become one.
 */
#ifndef WL_BASE_LOG_COMMAND_H
#define WL_BASE_LOG_COMMAND_H

#include <stdbool.h>
#include <stddef.h>

/* The "::" and a letter that s, where a line or a cell begins, begins with behind blanks, or NULL.
 */
const char *wl_log_command_first(const char *s);

/*
 * What the n bytes at s, where a line begins, must not begin with behind blanks: the same, or a
 * dollar as a word, which looks like a command to paste into a shell. NULL where they may.
 */
const char *wl_log_command_forged(const char *s, size_t n);

/* Does s begin with "##[" or "##vso[", wherever in a line? */
bool wl_log_command_is_marked(const char *s);

#endif
