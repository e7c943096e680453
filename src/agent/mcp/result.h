/* SPDX-License-Identifier: MIT */
/* result.h - the result of a request being written, for the protocol's methods. */
#ifndef WL_AGENT_RESULT_H
#define WL_AGENT_RESULT_H

#include "agent/mcp/message.h"
#include "base/err.h"

struct wl_call;
struct wl_mcp;

struct wl_mcp_result {
	const struct wl_mcp *mcp;
	const struct wl_mcp_message *m;
	const struct wl_call *how;
	struct wl_jsonw w;            /* writes inside the result object */
	struct wl_err err;            /* the message of a failure */
	bool is_silent, is_malformed; /* as in protocol.h */
	const char *uri;              /* the address that was not found; NULL for none */
};

/* Set the error message and return the code. */
static inline enum wl_mcp_code wl_result_fail(struct wl_mcp_result *r, enum wl_mcp_code code,
					      const char *why)
{
	(void)wl_fail(&r->err, WL_E_USAGE, "%s", why);
	return code;
}

/* Whether a further page of a one-page list was requested; sets the error then. */
static inline bool wl_result_has_cursor(struct wl_mcp_result *r)
{
	if (!wl_mcp_param(r->m, "cursor"))
		return false;
	(void)wl_result_fail(r, WL_MCP_PARAMS, "cursor: this list has one page");
	return true;
}

#endif
