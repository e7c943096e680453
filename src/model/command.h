/* SPDX-License-Identifier: MIT */
/* command.h - the command that was profiled, and the environment it ran in. */
#ifndef WL_MODEL_COMMAND_H
#define WL_MODEL_COMMAND_H

#include "base/memory/arena.h"
#include "model/trace.h"

/*
 * The launched command and its arguments in one line, with secrets masked; "" if the file does not
 * record them. NULL if out of memory.
 */
const char *wl_command_line(const struct wl_trace *trace, struct wl_arena *arena);

/*
 * The same as words, at most `most` of them. Returns how many words the command has: 0 if the file
 * does not record it, more than `most` if some were left out, -1 if out of memory.
 */
int wl_command_words(const struct wl_trace *trace, struct wl_arena *arena, const char **ret,
		     int most);

/*
 * Copy a variable of the launched process's environment (known/secrets/environment.h says which are
 * kept), at most size bytes; false if it is not set.
 */
bool wl_trace_variable(const struct wl_trace *trace, const char *name, char *buf, size_t size);

/* The number of ranks in the job, taken from the environment; 0 if it does not say. */
int64_t wl_trace_world(const struct wl_trace *trace);

#endif
