/* SPDX-License-Identifier: MIT */
/* http_fields.h - the fields of a request over HTTP that repeat what its body says. */
#ifndef WL_AGENT_HTTP_FIELDS_H
#define WL_AGENT_HTTP_FIELDS_H

#include "agent/mcp/message.h"

/* As sent; NULL for what is absent. */
struct wl_mcp_fields {
	const char *version; /* MCP-Protocol-Version */
	const char *method;  /* Mcp-Method */
	const char *name;    /* Mcp-Name */
};

/*
 * Whether they equal the body of a request, where the new era wants them: WL_MCP_OK,
 * WL_MCP_HEADERS, WL_MCP_VERSION for one of the old era that is not known, WL_MCP_PARAMS where the
 * field says that _meta must be there.
 */
enum wl_mcp_code wl_mcp_fields_check(const struct wl_mcp_fields *f, const struct wl_mcp_message *m,
				     struct wl_err *reterr);

/* The field has this value, blanks around it aside, plain or as =?base64?...?=. */
bool wl_mcp_field_is(const char *field, const char *value);

#endif
