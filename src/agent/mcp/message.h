/* SPDX-License-Identifier: MIT */
/*
 * message.h - one message of JSON-RPC 2.0 as the Model Context Protocol uses it.
 *
 * Two eras of the protocol share a pipe. Modern requests (2026-07-28) carry their version in _meta;
 * requests without one belong to the old revisions, which begin with initialize.
 */
#ifndef WL_AGENT_MESSAGE_H
#define WL_AGENT_MESSAGE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/text/json_read.h"
#include "base/text/json_write.h"

#define WL_MCP_MODERN "2026-07-28"

/* Errors that occur before a tool runs, with the codes of JSON-RPC and of the protocol. */
enum wl_mcp_code {
	WL_MCP_OK = 0,
	WL_MCP_PARSE = -32700,
	WL_MCP_INVALID = -32600,
	WL_MCP_METHOD = -32601,
	WL_MCP_PARAMS = -32602,
	WL_MCP_INTERNAL = -32603,
	WL_MCP_RESOURCE = -32002, /* no resource has this address; old era only */
	WL_MCP_HEADERS = -32020,  /* HTTP header fields do not match the body */
	WL_MCP_VERSION = -32022,
};

enum wl_mcp_kind { WL_MCP_REQUEST, WL_MCP_NOTIFICATION, WL_MCP_RESPONSE };

/* A text or a whole number; neither if the message has no id. */
struct wl_mcp_id {
	const char *text; /* borrowed; NULL for a number */
	int64_t number;
	bool is_set;
};

/* Texts and values belong to the document. */
struct wl_mcp_message {
	struct wl_json *doc; /* NULL: of others */
	enum wl_mcp_kind kind;
	const char *method;
	struct wl_mcp_id id;
	const struct wl_json *params; /* an object, or NULL */
	const struct wl_json *meta;   /* its _meta, an object, or NULL */
	const char *version;          /* the version in _meta; NULL: old era */
};

/*
 * Read a message. WL_MCP_OK, or the code of the error, with a sentence; the id is then set if it
 * was found. Release it in any case.
 */
enum wl_mcp_code wl_mcp_message_read(struct wl_mcp_message *m, const char *text, size_t n,
				     struct wl_err *reterr);
void wl_mcp_message_release(struct wl_mcp_message *m);

/* The same for a parsed value, which must outlive the message. */
enum wl_mcp_code wl_mcp_message_take(struct wl_mcp_message *m, const struct wl_json *value,
				     struct wl_err *reterr);

bool wl_mcp_id_equals(const struct wl_mcp_id *a, const struct wl_mcp_id *b);

/* Read an id from a value; false if the value is not an id. */
bool wl_mcp_id_read(const struct wl_json *value, struct wl_mcp_id *ret);

/* Write the id's value; null if it is not set. */
void wl_mcp_put_id(struct wl_jsonw *w, const struct wl_mcp_id *id);

/* A _meta entry that the client sent, named without the protocol's prefix; NULL if absent. */
const struct wl_json *wl_mcp_meta(const struct wl_mcp_message *m, const char *name);

/* A text among the parameters; NULL if it is absent or not a text. */
const char *wl_mcp_param(const struct wl_mcp_message *m, const char *key);

#endif
