/* SPDX-License-Identifier: MIT */
#include "agent/mcp/http_fields.h"

#include <stdlib.h>
#include <string.h>

#include "agent/mcp/protocol.h"
#include "base/text/base64.h"

static const char blanks[] = " \t";

/* Compares in encoded form, so that malformed encodings need no handling. */
static bool is_encoded(const char *field, size_t n, const char *value)
{
	static const char begin[] = "=?base64?", end[] = "?=";
	size_t before = strlen(begin), after = strlen(end), size = wl_base64_size(strlen(value));
	bool is_it = false;
	char *text;

	if (n != before + size + after || strncmp(field, begin, before) != 0 ||
	    strncmp(field + n - after, end, after) != 0)
		return false;
	text = malloc(size + 1);
	if (text) {
		wl_base64_write(value, strlen(value), text);
		is_it = memcmp(text, field + before, size) == 0;
	}
	free(text);
	return is_it;
}

bool wl_mcp_field_is(const char *field, const char *value)
{
	size_t n;

	if (!field || !value)
		return false;
	field += strspn(field, blanks);
	n = strlen(field);
	while (n > 0 && strchr(blanks, field[n - 1]))
		n--;
	if (is_encoded(field, n, value))
		return true;
	return n == strlen(value) && memcmp(field, value, n) == 0;
}

static enum wl_mcp_code refuse(enum wl_mcp_code code, const char *why, struct wl_err *reterr)
{
	(void)wl_fail(reterr, WL_E_USAGE, "%s", why);
	return code;
}

static enum wl_mcp_code check_legacy(const struct wl_mcp_fields *f, struct wl_err *reterr)
{
	if (!f->version || wl_mcp_is_legacy(f->version))
		return WL_MCP_OK;
	if (wl_mcp_field_is(f->version, WL_MCP_MODERN))
		return refuse(WL_MCP_PARAMS,
			      "_meta: io.modelcontextprotocol/protocolVersion is missing", reterr);
	return refuse(WL_MCP_VERSION, "unsupported protocol version", reterr);
}

/* The value that Mcp-Name must repeat; NULL if the method has none. */
static const char *name_of(const struct wl_mcp_message *m)
{
	if (strcmp(m->method, "tools/call") == 0 || strcmp(m->method, "prompts/get") == 0)
		return wl_mcp_param(m, "name");
	return strcmp(m->method, "resources/read") == 0 ? wl_mcp_param(m, "uri") : NULL;
}

enum wl_mcp_code wl_mcp_fields_check(const struct wl_mcp_fields *f, const struct wl_mcp_message *m,
				     struct wl_err *reterr)
{
	const char *name = name_of(m);

	if (!m->version)
		return check_legacy(f, reterr);
	if (!wl_mcp_field_is(f->version, m->version))
		return refuse(WL_MCP_HEADERS, "MCP-Protocol-Version is not what _meta says",
			      reterr);
	if (!wl_mcp_field_is(f->method, m->method))
		return refuse(WL_MCP_HEADERS, "Mcp-Method is not the method of the body", reterr);
	if (name && !wl_mcp_field_is(f->name, name))
		return refuse(WL_MCP_HEADERS, "Mcp-Name is not the name in the body", reterr);
	return WL_MCP_OK;
}
