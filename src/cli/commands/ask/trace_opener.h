/* SPDX-License-Identifier: MIT */
/* trace_opener.h - opens traces of any kind for the toolbox of agents. */
#ifndef WL_CLI_TRACE_OPENER_H
#define WL_CLI_TRACE_OPENER_H

#include "agent/tools/tool.h"
#include "cli/open.h"

/* With what traces are opened; borrowed, and it must outlive them. */
struct wl_opening_room {
	const struct wl_invocation *inv;
	struct wl_pool *pool;
	struct wl_budget *budget;
	const char *page; /* the address of a server that shows traces; NULL: there is none */
};

/*
 * The opener of a room. A report is exported, and its export lives as long as the trace is open.
 * Signals must be caught.
 */
struct wl_trace_opener wl_trace_opener_of(struct wl_opening_room *room);

#endif
