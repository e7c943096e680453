/* SPDX-License-Identifier: MIT */
/* suggested.h - a command that an answer suggests as a call of a tool. */
#ifndef WL_AGENT_SUGGESTED_H
#define WL_AGENT_SUGGESTED_H

#include "agent/tools/call.h"
#include "table/table.h"

/*
 * {"tool":"analyze","arguments":{"trace":"t1","verb":"overlap","options":{"by":"stage"}}}, for a
 * command as a cell has it. A command of facts names the trace that they are of. handle
 * NULL leaves the trace out. Owned by the arena of the call; NULL
 * where no tool does what the command does, or without memory.
 */
const char *wl_suggested_call(struct wl_tool_call *c, const struct wl_cmdline *command,
			      const struct wl_cmdline_given *given, const char *handle);

/* The same for the command of a cell; NULL where the cell is no command. */
const char *wl_suggested_of(struct wl_tool_call *c, const struct wl_table *table, size_t row,
			    const char *handle);

/*
 * The text of a note, in which analyze {"verb": ...} stands for its command, and {"marker": ...}
 * for options of the question itself. Never NULL.
 */
const char *wl_suggested_note(struct wl_tool_call *c, const struct wl_note *note);

#endif
