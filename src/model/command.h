/* SPDX-License-Identifier: MIT */
/* command.h - the command that was profiled. */
#ifndef WL_MODEL_COMMAND_H
#define WL_MODEL_COMMAND_H

#include "base/arena.h"
#include "model/trace.h"

/*
 * The launched command and its arguments, which are rows of their own in order, in one line, its
 * secrets masked; "" where the file does not tell. NULL without memory.
 */
const char *wl_command_line(const struct wl_trace *trace, struct wl_arena *arena);

#endif
