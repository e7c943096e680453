/* SPDX-License-Identifier: MIT */
/* http_stream.h - a call that reports its progress: events first, the answer as the last one. */
#ifndef WL_AGENT_HTTP_STREAM_H
#define WL_AGENT_HTTP_STREAM_H

#include "agent/mcp/http_post.h"

/* Answer as a stream of events, on a thread of its own. */
enum MHD_Result wl_mcp_http_stream(struct wl_mcp_post *p);

#endif
