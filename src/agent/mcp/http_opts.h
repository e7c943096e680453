/* SPDX-License-Identifier: MIT */
/* http_opts.h - how the protocol is offered over HTTP. */
#ifndef WL_AGENT_HTTP_OPTS_H
#define WL_AGENT_HTTP_OPTS_H

#include "agent/mcp/protocol.h"
#include "base/net/access.h"

struct wl_mcp_http_opts {
	const struct wl_mcp *mcp;
	struct wl_access *access; /* its port is set by the open */
	uint16_t port;            /* 0: one that is free */
	bool is_open;             /* the address has no secret: /mcp; else /t/TOKEN/mcp */
};

#endif
