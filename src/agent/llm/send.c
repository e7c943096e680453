/* SPDX-License-Identifier: MIT */
#include "agent/llm/send.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "agent/llm/sse.h"
#include "base/net/http_retry.h"

enum { HEADER_CAP = 1024 };

/* A reply being received. */
struct receipt {
	const struct wl_llm_shape *shape;
	struct wl_llm_draft *draft;
	struct wl_sse sse;
	struct wl_text whole; /* a reply that is not a stream */
	bool is_stream;       /* events were asked for */
	bool is_decided;      /* the first byte was seen: JSON, or events */
};

static bool on_event(void *context, const char *name, const char *data, size_t n)
{
	struct receipt *r = context;

	(void)name; /* the data repeats it */
	return wl_llm_take_event(r->shape, r->draft, data, n);
}

/* Servers without streaming answer with a JSON document, which begins with a brace. */
static bool receive(void *context, int status, const char *bytes, size_t n)
{
	struct receipt *r = context;

	if (!r->is_decided) {
		r->is_decided = true;
		r->is_stream = r->is_stream && status == 200 && *bytes != '{';
	}
	if (r->is_stream)
		return wl_sse_take(&r->sse, bytes, n);
	wl_text_put(&r->whole, bytes, n);
	return !r->whole.failed;
}

/* The body of the request, for the caller to free(). */
static int write_body(const struct wl_llm_shape *shape, const struct wl_llm_request *request,
		      char **ret, size_t *ret_n, struct wl_err *reterr)
{
	FILE *out = open_memstream(ret, ret_n);
	struct wl_jsonw w;
	bool ok;

	if (!out)
		return wl_fail(reterr, WL_E_NOMEM, "no memory for a request");
	wl_jsonw_init(&w, out);
	ok = shape->write(request, &w);
	if (fclose(out) == 0 && ok)
		return WL_OK;
	free(*ret);
	*ret = NULL;
	return wl_fail(reterr, WL_E_NOMEM, "no memory for a request");
}

/* Fail with a status of 400 or more and what the server says about it. */
static int explain_status(const struct wl_llm_opts *opts, int status, struct receipt *r,
			  struct wl_err *reterr)
{
	bool is_busy = status >= 500 || status == 408 || status == 409 || status == 429;
	const char *hint = "";

	wl_llm_take_whole(opts->shape, r->draft, wl_text_get(&r->whole), r->whole.n);
	if (status == 401 || status == 403)
		hint = opts->key ? "; check the key in the environment"
				 : "; put a key into WARPLENS_LLM_KEY";
	else if (status == 404)
		hint = "; check the address, --shape and --model";
	return wl_fail(reterr, is_busy ? WL_E_IO : WL_E_USAGE,
		       "the model's server answers with status %d%s%.200s%s", status,
		       r->draft->error[0] ? ": " : "", r->draft->error, hint);
}

static int read_reply(const struct wl_llm_opts *opts, int status, struct receipt *r,
		      struct wl_llm_run *run, struct wl_llm_reply *ret, struct wl_err *reterr)
{
	if (status < 200 || status >= 300)
		return explain_status(opts, status, r, reterr);
	if (!r->is_stream || !r->is_decided)
		wl_llm_take_whole(opts->shape, r->draft, wl_text_get(&r->whole), r->whole.n);
	return wl_llm_draft_finish(r->draft, &run->talk, ret, reterr);
}

/* Send once. The HTTP status says whether a retry can help. */
static int send_once(const struct wl_llm_opts *opts, const struct wl_http_post *post,
		     struct wl_llm_run *run, struct wl_http_reply *http, struct wl_llm_reply *ret,
		     struct wl_err *reterr)
{
	struct wl_llm_draft *draft = calloc(1, sizeof(*draft));
	struct receipt r = { .shape = opts->shape, .draft = draft, .is_stream = opts->is_stream };
	struct wl_http_post mine = *post;
	int got;

	*http = (struct wl_http_reply){ 0 };
	if (!draft)
		return wl_fail(reterr, WL_E_NOMEM, "no memory for a reply");
	r.sse = (struct wl_sse){ .event = on_event, .context = &r };
	mine.take = receive;
	mine.context = &r;
	run->n_requests++;
	got = (opts->post ? opts->post : wl_http_post)(&mine, http, reterr);
	/* An error inside the stream explains more than the broken connection. */
	if (got == WL_E_FORMAT && (draft->error[0] || draft->nonsense[0] || draft->is_done))
		got = WL_OK;
	if (got == WL_OK)
		got = read_reply(opts, http->status, &r, run, ret, reterr);
	/* Tokens of unusable replies were paid for as well. */
	run->usage.input += draft->usage.input;
	run->usage.output += draft->usage.output;
	wl_sse_release(&r.sse);
	wl_text_release(&r.whole);
	wl_llm_draft_release(draft);
	free(draft);
	return got;
}

static int send_with_retries(const struct wl_llm_opts *opts, const struct wl_http_post *post,
			     struct wl_llm_run *run, struct wl_llm_reply *ret,
			     struct wl_err *reterr)
{
	for (int attempt = 0;; attempt++) {
		struct wl_http_reply http;
		double wait = 0;
		int r = send_once(opts, post, run, &http, ret, reterr);

		if (r == WL_OK || !wl_http_retry_now((struct wl_http_outcome){ .result = r,
									       .http = &http,
									       .attempt = attempt },
						     &wait))
			return r;
		if (opts->tell)
			opts->tell(opts->context, WL_LLM_RETRYING, reterr->msg);
		run->n_retries++;
		run->waited += wait;
		r = wl_http_wait(opts->is_hasty ? 0 : wait, opts->cancel, reterr);
		if (r < 0)
			return r;
	}
}

int wl_llm_send(const struct wl_llm_opts *opts, const struct wl_llm_tools *tools, bool must_answer,
		struct wl_llm_run *run, struct wl_llm_reply *ret, struct wl_err *reterr)
{
	const struct wl_llm_request request = {
		.talk = &run->talk,
		.model = opts->model,
		.system = opts->system,
		.tools = tools->list,
		.n_tools = tools->n,
		.max_tokens = opts->reply_tokens ? opts->reply_tokens : WL_LLM_REPLY_TOKENS,
		.is_stream = opts->is_stream,
		.must_answer = must_answer,
	};
	char key[HEADER_CAP];
	struct wl_http_post post = { .url = opts->url,
				     .ca_file = opts->ca_file,
				     .cancel = opts->cancel };
	size_t n_headers = 0;
	char *body;
	int r;

	if (opts->key) {
		if (snprintf(key, sizeof(key), "%s%s", opts->shape->key_header, opts->key) >=
			    (int)sizeof(key) ||
		    strpbrk(opts->key, "\r\n"))
			return wl_fail(reterr, WL_E_USAGE, "the key in the environment is no key");
		post.header[n_headers++] = key;
	}
	if (opts->shape->version_header)
		post.header[n_headers++] = opts->shape->version_header;
	r = write_body(opts->shape, &request, &body, &post.n_body, reterr);
	if (r < 0)
		return r;
	post.body = body;
	r = send_with_retries(opts, &post, run, ret, reterr);
	free(body);
	explicit_bzero(key, sizeof(key));
	return r;
}
