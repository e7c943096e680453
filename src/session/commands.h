/* SPDX-License-Identifier: MIT */
/*
 * commands.h - the commands that an answer suggests, ready to be pasted.
 *
 * Analyses do not know the path of their trace: they write TRACE. Answers in an index keep it,
 * because the trace may be moved.
 */
#ifndef WL_SESSION_COMMANDS_H
#define WL_SESSION_COMMANDS_H

#include "session/request.h"

struct wl_commands {
	const char *path;         /* or the name that the user knows the trace by */
	const char *const *files; /* of a job that was given by its files; NULL for others */
	size_t n_files;
	const struct wl_request *request;
	const struct wl_scope *scope; /* devices that are selected; device_on may be NULL: all */
};

/*
 * Put the path, and the selection as far as a command does not have its own, into the columns
 * with the flag WL_SHELL and into notes. False when the arena of the table is exhausted.
 */
bool wl_commands_fill(const struct wl_commands *commands, struct wl_table *table) WL_MUST_CHECK;

#endif
