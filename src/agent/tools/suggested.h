/* SPDX-License-Identifier: MIT */
/* suggested.h - turns a command suggested by an answer into a tool call. */
#ifndef WL_AGENT_SUGGESTED_H
#define WL_AGENT_SUGGESTED_H

#include "agent/tools/call.h"
#include "table/table.h"

/*
 * {"tool":"analyze","arguments":{"trace":"t1","verb":"overlap","options":{"by":"stage"}}}, for a
 * command as in a cell. A command from facts names the trace of the facts. handle NULL omits the
 * trace. Owned by the arena of the call; NULL if no tool does what the command does or memory runs
 * out.
 */
const char *wl_suggested_call(struct wl_tool_call *c, const struct wl_cmdline *command,
			      const struct wl_cmdline_given *given, const char *handle);

/* The same for the command in a cell; NULL if the cell is not a command. */
const char *wl_suggested_of(struct wl_tool_call *c, const struct wl_table *table, size_t row,
			    const char *handle);

/*
 * The text of a note, with analyze {"verb": ...} instead of its command, and {"marker": ...}
 * instead of options of the question itself. Never NULL.
 */
const char *wl_suggested_note(struct wl_tool_call *c, const struct wl_note *note);

#endif
