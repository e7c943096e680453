/* SPDX-License-Identifier: MIT */
/*
 * stdio.h - the protocol on a pair of pipes: a message per line.
 *
 * One thread reads and answers what is quick; calls of tools wait in a queue with a thread of its
 * own, so that a call can be cancelled and the server asked whether it is there.
 */
#ifndef WL_AGENT_STDIO_H
#define WL_AGENT_STDIO_H

#include "agent/mcp/protocol.h"

struct wl_mcp_pipe {
	const struct wl_mcp *mcp;
	int in;
	FILE *out;              /* nothing else may write to it */
	const atomic_int *stop; /* not 0: leave, and cancel what is under way */
};

/*
 * Answer until the end of the input, and then what is still waiting. WL_E_CANCELED where it was
 * stopped, WL_E_OUTPUT where the client stopped reading, WL_E_NOMEM.
 */
int wl_mcp_stdio(const struct wl_mcp_pipe *pipe, struct wl_err *reterr) WL_MUST_CHECK;

#endif
