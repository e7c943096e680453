/* SPDX-License-Identifier: MIT */
/* http_stream.h - a call that reports its progress: events first, the answer as the last one. */
#ifndef WL_AGENT_HTTP_STREAM_H
#define WL_AGENT_HTTP_STREAM_H

#include "agent/mcp/protocol.h"
#include "base/net/httpd.h"

/* A call; what is borrowed lives until the end. */
struct wl_mcp_streamed {
	const struct wl_mcp *mcp;
	const struct wl_mcp_message *m;
	atomic_int *cancel;
	void (*end)(void *ctx); /* called once, also where it cannot be sent */
	void *ctx;
};

/* Answer as a stream of events, by a thread of its own; false where that cannot be. */
bool wl_mcp_http_stream(struct wl_http_request *request, const struct wl_mcp_streamed *call);

#endif
