/* SPDX-License-Identifier: MIT */
/*
 * protocol.h - the answers of a Model Context Protocol server, independent of the transport.
 *
 * Requests share no state except the toolbox's traces, so any number of clients of both eras may
 * ask at once, each from its own thread.
 */
#ifndef WL_AGENT_PROTOCOL_H
#define WL_AGENT_PROTOCOL_H

#include "agent/mcp/message.h"
#include "agent/tools/toolbox.h"

struct wl_mcp {
	struct wl_toolbox *box;
	const char *version; /* of the program */
};

/* The outcome of a message. */
struct wl_mcp_said {
	enum wl_mcp_code code; /* code of the error written; WL_MCP_OK for a result */
	bool is_silent;        /* nothing was written: the call was cancelled */
	bool is_malformed;     /* the error is about the frame of the request, not its content */
};

/*
 * Answer a request by writing one line. how is passed to the tool called; its progress may be NULL.
 */
struct wl_mcp_said wl_mcp_answer(const struct wl_mcp *mcp, const struct wl_mcp_message *m,
				 const struct wl_call *how, FILE *out);

/* Whether the version is a known revision of the old era. */
bool wl_mcp_is_legacy(const char *version);

/* {supported, requested} for a version error; for the caller to free(), NULL if memory runs out. */
char *wl_mcp_version_data(const char *requested) WL_MUST_CHECK;

/* Write an error as one line; data is JSON or NULL. */
void wl_mcp_put_error(FILE *out, const struct wl_mcp_id *id, enum wl_mcp_code code,
		      const char *message, const char *data);

/* Whether a request may take long and must not be answered on the thread that reads messages. */
bool wl_mcp_is_slow(const struct wl_mcp_message *m);

/* The token under which a client wants progress; false if it wants none. */
bool wl_mcp_wants_progress(const struct wl_mcp_message *m, struct wl_mcp_id *ret);

/* Write a progress notification as one line. */
void wl_mcp_put_progress(FILE *out, const struct wl_mcp_id *token, double done, double total,
			 const char *message);

#endif
