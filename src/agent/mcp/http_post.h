/* SPDX-License-Identifier: MIT */
/* http_post.h - a request over HTTP on its way through the server. */
#ifndef WL_AGENT_HTTP_POST_H
#define WL_AGENT_HTTP_POST_H

#include <microhttpd.h>

#include "agent/mcp/http_opts.h"

struct wl_lock;

struct wl_mcp_http {
	struct wl_mcp_http_opts opts;
	struct MHD_Daemon *daemon;
	struct wl_lock *lock; /* of the list */
	struct wl_mcp_post *posts;
	atomic_int stop;
};

/* A request: its body while it comes, its message while it is answered. */
struct wl_mcp_post {
	struct wl_mcp_http *http;
	struct MHD_Connection *connection;
	int fd;        /* < 0: the library is done with the connection */
	bool is_first; /* begins a session, whose name goes back to the client */
	char *body;
	size_t n, cap;
	struct wl_mcp_message m;
	bool is_read; /* the message is whole; under the lock */
	/* Mcp-Session-Id: tells clients of the old era apart, whose ids are alike; "" for none. */
	char session[WL_TOKEN_BUF];
	atomic_int cancel; /* the client has left, or cancels it, or the server stops */
	int users;         /* the library, and a stream */
	struct wl_mcp_post *next;
};

/* One user less; the last one frees it. */
void wl_mcp_post_release(struct wl_mcp_post *p);

extern const char wl_mcp_json_type[];

/* A body with a type; the bytes become the response's. */
enum MHD_Result wl_mcp_http_send(struct wl_mcp_post *p, unsigned status, const char *type,
				 char *bytes, size_t n);

/* An error as JSON. */
enum MHD_Result wl_mcp_http_refuse(struct wl_mcp_post *p, unsigned status, enum wl_mcp_code code,
				   const char *why, const char *data);

#endif
