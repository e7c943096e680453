/* SPDX-License-Identifier: MIT */
/* http_stream.h - streams a call that reports progress: events first, the answer last. */
#ifndef WL_AGENT_HTTP_STREAM_H
#define WL_AGENT_HTTP_STREAM_H

#include "agent/mcp/protocol.h"
#include "base/net/httpd.h"

/* A call; borrowed data must live until end is called. */
struct wl_mcp_streamed {
	const struct wl_mcp *mcp;
	const struct wl_mcp_message *m;
	atomic_int *cancel;
	void (*end)(void *ctx); /* called once, even if nothing could be sent */
	void *ctx;
};

/* Answer with a stream of events from a new thread; false if that fails. */
bool wl_mcp_http_stream(struct wl_http_request *request, const struct wl_mcp_streamed *call);

#endif
