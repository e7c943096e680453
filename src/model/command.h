/* SPDX-License-Identifier: MIT */
/* command.h - the command that was profiled, and the environment it ran in. */
#ifndef WL_MODEL_COMMAND_H
#define WL_MODEL_COMMAND_H

#include "base/memory/arena.h"
#include "model/trace.h"

/*
 * The launched command and its arguments, which are rows of their own in order, in one line, its
 * secrets masked; "" where the file does not tell. NULL without memory.
 */
const char *wl_command_line(const struct wl_trace *trace, struct wl_arena *arena);

/*
 * The same as words, at most `most` of them. Returns how many the command has: 0 where the file
 * does not tell, more than `most` where there was no room for the others; -1 without memory.
 */
int wl_command_words(const struct wl_trace *trace, struct wl_arena *arena, const char **ret,
		     int most);

/*
 * Copy a variable of the launched process's environment (known/secrets/environment.h says which are
 * kept), at most size bytes; false where it is not set.
 */
bool wl_trace_variable(const struct wl_trace *trace, const char *name, char *buf, size_t size);

/* The ranks of the job, by the environment; 0 if that does not say. */
int64_t wl_trace_world(const struct wl_trace *trace);

#endif
