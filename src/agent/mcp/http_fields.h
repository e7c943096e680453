/* SPDX-License-Identifier: MIT */
/* http_fields.h - checks the HTTP header fields that repeat what a request's body says. */
#ifndef WL_AGENT_HTTP_FIELDS_H
#define WL_AGENT_HTTP_FIELDS_H

#include "agent/mcp/message.h"

/* The fields as sent; NULL if absent. */
struct wl_mcp_fields {
	const char *version; /* MCP-Protocol-Version */
	const char *method;  /* Mcp-Method */
	const char *name;    /* Mcp-Name */
};

/*
 * Whether the fields match the body of a request, where the new era requires them: WL_MCP_OK,
 * WL_MCP_HEADERS, WL_MCP_VERSION for an unknown version of the old era, WL_MCP_PARAMS if the field
 * requires _meta.
 */
enum wl_mcp_code wl_mcp_fields_check(const struct wl_mcp_fields *f, const struct wl_mcp_message *m,
				     struct wl_err *reterr);

/* Whether the field has this value, ignoring blanks around it, plain or as =?base64?...?=. */
bool wl_mcp_field_is(const char *field, const char *value);

#endif
