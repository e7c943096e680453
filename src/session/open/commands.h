/* SPDX-License-Identifier: MIT */
/*
 * commands.h - the commands that an answer suggests, ready to be pasted.
 *
 * Analyses do not know the path of their trace, nor does an index: the trace may be moved. Tables
 * have their commands as values (table/cmdline.h), and the path is put in here.
 */
#ifndef WL_SESSION_COMMANDS_H
#define WL_SESSION_COMMANDS_H

#include "session/document/request.h"

struct wl_commands {
	const char *path;  /* or the name that the user knows the trace by */
	const char *facts; /* that were opened, of that trace; NULL for a trace */
	bool is_lost;      /* of facts: that trace was not found, and path is only its name */
	const char *const *files; /* of a job that was given by its files; NULL for others */
	size_t n_files;
	const char *directory; /* that stands for them; NULL for none */
	const struct wl_request *request;
	const struct wl_scope *scope; /* devices that are selected; device_on may be NULL: all */
	size_t n_devices;             /* of the trace, and of device_on */
};

/*
 * Put the path, and the selection as far as a command does not have its own, into the commands of
 * cells and notes. A cell that needs a trace which was not found is emptied, and a note says which
 * it is. False when the arena of the table is exhausted.
 */
bool wl_commands_fill(const struct wl_commands *commands, struct wl_table *table) WL_MUST_CHECK;

/* The verb asked about what this answer was asked about. NULL without memory. */
const char *wl_commands_line(const struct wl_commands *commands, const char *verb,
			     struct wl_arena *arena);

#endif
