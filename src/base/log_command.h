/* SPDX-License-Identifier: MIT */
/*
 * log_command.h - text that the log of a CI job would take for a command.
 *
 * GitHub's runner obeys lines that begin with "::name" behind blanks, and "##[name" anywhere in a
 * line; Azure's "##vso[name". A name in a trace must not become one.
 */
#ifndef WL_BASE_LOG_COMMAND_H
#define WL_BASE_LOG_COMMAND_H

#include <stdbool.h>

/* Does s, where a line or a cell begins, begin with "::" and a letter? */
bool wl_log_command_begins(const char *s);

/* Does s begin with "##[" or "##vso[", wherever in a line? */
bool wl_log_command_is_marked(const char *s);

#endif
