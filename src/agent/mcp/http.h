/* SPDX-License-Identifier: MIT */
/*
 * http.h - the Model Context Protocol over HTTP on the loopback address, for any number of clients.
 *
 * One address takes POST: a request is answered with JSON, or with a stream of events if the client
 * wants progress. A client that leaves cancels its call. The size and number of requests are
 * bounded.
 */
#ifndef WL_AGENT_HTTP_H
#define WL_AGENT_HTTP_H

#include "agent/mcp/protocol.h"
#include "base/net/access.h"

struct wl_mcp_http_opts {
	const struct wl_mcp *mcp;
	struct wl_access *access; /* wl_mcp_http_open() sets its port */
	uint16_t port;            /* 0: any free port */
	bool is_open;             /* the address has no secret: /mcp; otherwise /t/TOKEN/mcp */
};

struct wl_mcp_http;

/* opts is copied. WL_E_USAGE if the port is not available. */
int wl_mcp_http_open(const struct wl_mcp_http_opts *opts, struct wl_mcp_http **ret,
		     struct wl_err *reterr) WL_MUST_CHECK;

/* Cancel the calls of clients that have left; call it periodically. */
void wl_mcp_http_tend(struct wl_mcp_http *http);

/* Cancel all calls and stop. Accepts NULL. */
void wl_mcp_http_close(struct wl_mcp_http *http);

#endif
