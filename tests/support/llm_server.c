/* SPDX-License-Identifier: MIT */
#include "support/llm_server.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct llm_server llm_server;

void llm_server_stop(void)
{
	for (size_t i = 0; i < LLM_MAX_TURNS; i++)
		free(llm_server.request[i]);
	llm_server = (struct llm_server){ 0 };
}

void llm_server_start(const struct llm_turn *turns, size_t n, size_t piece)
{
	llm_server_stop();
	llm_server = (struct llm_server){ .turn = turns, .n = n, .piece = piece ? piece : 7 };
}

static void note(const struct wl_http_post *post)
{
	char *text = NULL;
	size_t size;
	FILE *out = open_memstream(&text, &size);

	assert(out && llm_server.n_requests < LLM_MAX_TURNS);
	for (size_t i = 0; i < WL_HTTP_MAX_HEADERS && post->header[i]; i++)
		(void)fprintf(out, "%s\n", post->header[i]);
	(void)fwrite(post->body, 1, post->n_body, out);
	(void)fclose(out);
	llm_server.request[llm_server.n_requests++] = text;
}

int llm_server_post(const struct wl_http_post *post, struct wl_http_reply *ret,
		    struct wl_err *reterr)
{
	size_t i = llm_server.n_requests < llm_server.n ? llm_server.n_requests : llm_server.n - 1;
	const struct llm_turn *t = &llm_server.turn[i];
	size_t n = t->body ? strlen(t->body) : 0;

	note(post);
	*ret = (struct wl_http_reply){ .status = t->status ? t->status : 200 };
	if (t->result == WL_E_IO)
		ret->status = 0;
	if (t->retry_after)
		(void)snprintf(ret->retry_after, sizeof(ret->retry_after), "%s", t->retry_after);
	for (size_t at = 0; at < n; at += llm_server.piece) {
		size_t left = n - at, k = left < llm_server.piece ? left : llm_server.piece;

		if (!post->take(post->context, ret->status, t->body + at, k))
			return wl_fail(reterr, WL_E_FORMAT, "the reply cannot be read");
	}
	return t->result ? wl_fail(reterr, t->result, "the connection broke") : WL_OK;
}
