/* SPDX-License-Identifier: MIT */
/* run.h - options of a question to a model, and what became of it. */
#ifndef WL_AGENT_LLM_RUN_H
#define WL_AGENT_LLM_RUN_H

#include "agent/llm/shape.h"
#include "base/net/http.h"

enum {
	WL_LLM_MAX_CALLS = 8,
	WL_LLM_RESULT_BYTES = 40000,
	WL_LLM_REPLY_TOKENS = 4096,
	WL_LLM_ALL_TOKENS = 400000, /* input and output, over all requests */
	WL_LLM_QUESTION_BYTES = 8000,
};

struct wl_llm_veil;

struct wl_llm_tools {
	const struct wl_llm_tool *list;
	size_t n;
	/*
	 * Call a tool with arguments, a JSON object. Writes the result, for the caller to free(),
	 * and whether it is an error that the model can act on. A negative status ends the whole
	 * question: WL_E_CANCELED, WL_E_NOMEM.
	 */
	int (*call)(void *context, const char *name, const char *arguments, char **ret_text,
		    bool *ret_is_error, struct wl_err *reterr);
	void *context;
};

/* Progress events, for people who wait. */
enum wl_llm_event {
	WL_LLM_ASKING,   /* a request is sent */
	WL_LLM_CALLING,  /* a tool is called; what: its name */
	WL_LLM_RETRYING, /* after a wait, with the reason */
};

struct wl_llm_opts {
	const struct wl_llm_shape *shape;
	const char *url; /* of wl_llm_url */
	const char *model;
	const char *key;     /* NULL: none is sent */
	const char *ca_file; /* as of wl_http_post */
	const char *system;
	bool is_stream;
	int64_t reply_tokens; /* 0: WL_LLM_REPLY_TOKENS */
	int64_t all_tokens;   /* 0: WL_LLM_ALL_TOKENS */
	const atomic_int *cancel;
	struct wl_llm_veil *veil; /* hides names from the model; NULL hides none */
	void (*tell)(void *context, enum wl_llm_event event, const char *what); /* may be NULL */
	void *context;
	/* NULL: wl_http_post. Tests use it to simulate servers. */
	int (*post)(const struct wl_http_post *post, struct wl_http_reply *ret,
		    struct wl_err *reterr);
	bool is_hasty; /* never waits; for tests */
};

/* What happened; complete even after a failure. */
struct wl_llm_run {
	struct wl_llm_talk talk; /* arena set by the caller, all else zeroed */
	const char *answer;      /* the model's final text; "" if it said nothing */
	struct wl_llm_usage usage;
	int n_requests, n_calls, n_retries;
	double waited; /* seconds waited at the request of servers */
};

#endif
