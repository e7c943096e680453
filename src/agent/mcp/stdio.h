/* SPDX-License-Identifier: MIT */
/*
 * stdio.h - the Model Context Protocol over a pair of pipes, one message per line.
 *
 * One thread reads messages and answers quick requests. Tool calls wait in a queue with its own
 * thread, so that a call can be cancelled and the server pinged meanwhile.
 */
#ifndef WL_AGENT_STDIO_H
#define WL_AGENT_STDIO_H

#include "agent/mcp/protocol.h"

struct wl_mcp_pipe {
	const struct wl_mcp *mcp;
	int in;
	FILE *out;              /* nothing else may write to it */
	const atomic_int *stop; /* not 0: stop, and cancel running calls */
};

/*
 * Answer until the input ends, then answer the calls still waiting. WL_E_CANCELED if it was
 * stopped, WL_E_OUTPUT if the client stopped reading, WL_E_NOMEM.
 */
int wl_mcp_stdio(const struct wl_mcp_pipe *pipe, struct wl_err *reterr) WL_MUST_CHECK;

#endif
