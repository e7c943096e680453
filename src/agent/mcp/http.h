/* SPDX-License-Identifier: MIT */
/*
 * http.h - the protocol over HTTP on the loopback address, for any number of clients.
 *
 * One address takes POST: a request is answered as JSON, or as a stream of events where the client
 * wants to see progress. A client that leaves cancels its call. Bounded in size and number.
 */
#ifndef WL_AGENT_HTTP_H
#define WL_AGENT_HTTP_H

#include "agent/mcp/protocol.h"
#include "base/net/access.h"

struct wl_mcp_http_opts {
	const struct wl_mcp *mcp;
	struct wl_access *access; /* its port is set by the open */
	uint16_t port;            /* 0: one that is free */
	bool is_open;             /* the address has no secret: /mcp; else /t/TOKEN/mcp */
};

struct wl_mcp_http;

/* opts is copied. WL_E_USAGE where the port cannot be had. */
int wl_mcp_http_open(const struct wl_mcp_http_opts *opts, struct wl_mcp_http **ret,
		     struct wl_err *reterr) WL_MUST_CHECK;

/* Cancel the calls of clients that have left; to be called now and then. */
void wl_mcp_http_tend(struct wl_mcp_http *http);

/* Cancel all calls and stop. Accepts NULL. */
void wl_mcp_http_close(struct wl_mcp_http *http);

#endif
