/* SPDX-License-Identifier: MIT */
/*
 * protocol.h - what a server of the Model Context Protocol answers, whatever carries its messages.
 *
 * Nothing is remembered between requests but the traces of the toolbox, so any number of clients
 * and both eras may ask at once, each from a thread of its own.
 */
#ifndef WL_AGENT_PROTOCOL_H
#define WL_AGENT_PROTOCOL_H

#include "agent/mcp/message.h"
#include "agent/tools/toolbox.h"

struct wl_mcp {
	struct wl_toolbox *box;
	const char *version; /* of the program */
};

/* What became of a message. */
struct wl_mcp_said {
	enum wl_mcp_code code; /* of the error that was written; WL_MCP_OK for a result */
	bool is_silent;        /* nothing was written: a call was cancelled */
	bool is_malformed;     /* the error is about the frame of the request, not its content */
};

/*
 * Answer a request: write one line. how is for the tool that is called; its progress may be NULL.
 */
struct wl_mcp_said wl_mcp_answer(const struct wl_mcp *mcp, const struct wl_mcp_message *m,
				 const struct wl_call *how, FILE *out);

/* Revisions of the old era that are known. */
bool wl_mcp_is_legacy(const char *version);

/* {supported, requested} for an error about a version; the caller's to free(), NULL without memory.
 */
char *wl_mcp_version_data(const char *requested) WL_MUST_CHECK;

/* An error as a line; data is JSON or NULL. */
void wl_mcp_put_error(FILE *out, const struct wl_mcp_id *id, enum wl_mcp_code code,
		      const char *message, const char *data);

/* A request that takes long: it is not answered on the thread that reads messages. */
bool wl_mcp_is_slow(const struct wl_mcp_message *m);

/* The token that a client wants progress under; false where it does not. */
bool wl_mcp_wants_progress(const struct wl_mcp_message *m, struct wl_mcp_id *ret);

/* A notification of progress as a line. */
void wl_mcp_put_progress(FILE *out, const struct wl_mcp_id *token, double done, double total,
			 const char *message);

#endif
