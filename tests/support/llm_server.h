/* SPDX-License-Identifier: MIT */
/* llm_server.h - a model's server inside the test: scripted replies, and what it was sent. */
#ifndef WL_TESTS_LLM_SERVER_H
#define WL_TESTS_LLM_SERVER_H

#include "base/net/http.h"

struct llm_turn {
	int status; /* 0: 200 */
	const char *body;
	const char *retry_after;
	enum wl_status result; /* of the connection, after the body */
};

enum { LLM_MAX_TURNS = 16 };

/* One at a time: the interface of posts has no context for the sender. */
struct llm_server {
	const struct llm_turn *turn;
	size_t n;     /* the last is repeated */
	size_t piece; /* bytes that arrive together; 0: 7 */
	size_t n_requests;
	char *request[LLM_MAX_TURNS]; /* bodies, and headers as lines before them */
};

extern struct llm_server llm_server;

void llm_server_start(const struct llm_turn *turns, size_t n, size_t piece);
void llm_server_stop(void);

/* For wl_llm_opts.post. */
int llm_server_post(const struct wl_http_post *post, struct wl_http_reply *ret,
		    struct wl_err *reterr);

#endif
