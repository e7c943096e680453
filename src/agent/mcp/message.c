/* SPDX-License-Identifier: MIT */
#include "agent/mcp/message.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* Above this, different integers can be the same double. */
#define LARGEST_ID 9007199254740991.0

static enum wl_mcp_code refuse(enum wl_mcp_code code, const char *why, struct wl_err *reterr)
{
	(void)wl_fail(reterr, WL_E_USAGE, "%s", why);
	return code;
}

bool wl_mcp_id_read(const struct wl_json *value, struct wl_mcp_id *ret)
{
	double number;

	*ret = (struct wl_mcp_id){ .text = value ? wl_json_string(value) : NULL };
	if (ret->text) {
		ret->is_set = true;
	} else if (value && wl_json_number(value, &number) && floor(number) == number &&
		   fabs(number) <= LARGEST_ID) {
		ret->number = (int64_t)number;
		ret->is_set = true;
	}
	return ret->is_set;
}

bool wl_mcp_id_equals(const struct wl_mcp_id *a, const struct wl_mcp_id *b)
{
	if (!a->is_set || !b->is_set || !a->text != !b->text)
		return false;
	return a->text ? strcmp(a->text, b->text) == 0 : a->number == b->number;
}

void wl_mcp_put_id(struct wl_jsonw *w, const struct wl_mcp_id *id)
{
	if (!id->is_set)
		wl_jsonw_null(w);
	else if (id->text)
		wl_jsonw_str(w, id->text);
	else
		wl_jsonw_i64(w, id->number);
}

const struct wl_json *wl_mcp_meta(const struct wl_mcp_message *m, const char *name)
{
	char key[80];

	(void)snprintf(key, sizeof(key), "io.modelcontextprotocol/%s", name);
	return m->meta ? wl_json_member(m->meta, key) : NULL;
}

const char *wl_mcp_param(const struct wl_mcp_message *m, const char *key)
{
	const struct wl_json *v = m->params ? wl_json_member(m->params, key) : NULL;

	return v ? wl_json_string(v) : NULL;
}

/* Read the method, the parameters and what they say about the client. */
static enum wl_mcp_code read_call(struct wl_mcp_message *m, const struct wl_json *value,
				  struct wl_err *reterr)
{
	const struct wl_json *params = wl_json_member(value, "params"), *meta, *version;

	m->method = wl_json_string(wl_json_member(value, "method"));
	if (!m->method)
		return refuse(WL_MCP_INVALID, "method: give a text", reterr);
	if (params && wl_json_type_of(params) != WL_JSON_OBJECT)
		return refuse(m->kind == WL_MCP_REQUEST ? WL_MCP_PARAMS : WL_MCP_INVALID,
			      "params: give an object", reterr);
	m->params = params;
	meta = params ? wl_json_member(params, "_meta") : NULL;
	if (meta && wl_json_type_of(meta) != WL_JSON_OBJECT)
		return refuse(WL_MCP_PARAMS, "_meta: give an object", reterr);
	m->meta = meta;
	version = wl_mcp_meta(m, "protocolVersion");
	if (version && !wl_json_string(version))
		return refuse(WL_MCP_PARAMS, "protocolVersion: give a text", reterr);
	m->version = version ? wl_json_string(version) : NULL;
	return WL_MCP_OK;
}

static enum wl_mcp_code read_message(struct wl_mcp_message *m, const struct wl_json *value,
				     struct wl_err *reterr)
{
	const struct wl_json *jsonrpc, *id;
	const char *version;

	if (wl_json_type_of(value) != WL_JSON_OBJECT)
		return refuse(WL_MCP_INVALID,
			      wl_json_type_of(value) == WL_JSON_ARRAY
				      ? "send one message at a time, not a list of them"
				      : "a message is an object",
			      reterr);
	id = wl_json_member(value, "id");
	if (id && !wl_mcp_id_read(id, &m->id))
		return refuse(WL_MCP_INVALID, "id: give a text or a whole number", reterr);
	jsonrpc = wl_json_member(value, "jsonrpc");
	version = jsonrpc ? wl_json_string(jsonrpc) : NULL;
	if (!version || strcmp(version, "2.0") != 0)
		return refuse(WL_MCP_INVALID, "jsonrpc: it must be \"2.0\"", reterr);
	if (!wl_json_member(value, "method")) {
		m->kind = WL_MCP_RESPONSE;
		return wl_json_member(value, "result") || wl_json_member(value, "error")
			       ? WL_MCP_OK
			       : refuse(WL_MCP_INVALID, "method: it is missing", reterr);
	}
	m->kind = m->id.is_set ? WL_MCP_REQUEST : WL_MCP_NOTIFICATION;
	return read_call(m, value, reterr);
}

enum wl_mcp_code wl_mcp_message_take(struct wl_mcp_message *m, const struct wl_json *value,
				     struct wl_err *reterr)
{
	*m = (struct wl_mcp_message){ .doc = NULL };
	return read_message(m, value, reterr);
}

enum wl_mcp_code wl_mcp_message_read(struct wl_mcp_message *m, const char *text, size_t n,
				     struct wl_err *reterr)
{
	*m = (struct wl_mcp_message){ .doc = NULL };
	if (wl_json_parse(text, n, "message", &m->doc, reterr) < 0)
		return WL_MCP_PARSE;
	return read_message(m, m->doc, reterr);
}

void wl_mcp_message_release(struct wl_mcp_message *m)
{
	wl_json_free(m->doc);
	*m = (struct wl_mcp_message){ .doc = NULL };
}
