/* SPDX-License-Identifier: MIT */
/* asking.h - a verb asked by a tool: the request, and the equivalent command line. */
#ifndef WL_AGENT_ASKING_H
#define WL_AGENT_ASKING_H

#include "agent/tools/askable.h"
#include "agent/tools/call.h"
#include "agent/tools/reply.h"

/*
 * Ask the verb with the arguments of the call, including "options" if that is an object, and reply.
 * columns: those shown unless the call names others; NULL for all.
 */
int wl_asking_reply(struct wl_tool_call *c, const struct wl_askable *of, const char *columns,
		    struct wl_err *reterr) WL_MUST_CHECK;

#endif
