/* SPDX-License-Identifier: MIT */
/* traces.h - the traces of a command line, and the request to each. */
#ifndef WL_CLI_TRACES_H
#define WL_CLI_TRACES_H

#include "base/memory/arena.h"
#include "cli/line/opt.h"

struct wl_named_trace {
	const char *path;
	const char *given;               /* the value of an option that named it; NULL: none did */
	const char *args[WL_MAX_PARAMS]; /* of the analysis, as texts; NULL for defaults */
};

struct wl_traces {
	struct wl_named_trace *trace;  /* in the arena */
	size_t n;                      /* at least 1 */
	const struct wl_param *option; /* that named them; NULL: they are operands */
};

/*
 * Operands before the traces are arguments of the verb; so are options, the same for all
 * traces. Where an option of type WL_P_TRACE names the traces, each has some of its own:
 * the file is all before the last commas, and may have commas itself; an empty part takes
 * the default.
 *
 * WL_E_USAGE when there is no trace, too many of them, one twice, or a value that does
 * not have its parts.
 */
int wl_traces_take(const struct wl_invocation *inv, struct wl_arena *arena, struct wl_traces *ret,
		   struct wl_err *reterr) WL_MUST_CHECK;

#endif
