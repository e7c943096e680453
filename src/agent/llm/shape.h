/* SPDX-License-Identifier: MIT */
/*
 * shape.h - the two HTTP protocols for asking models: Anthropic's messages and OpenAI's chat
 * completions. Local servers speak both as well.
 */
#ifndef WL_AGENT_LLM_SHAPE_H
#define WL_AGENT_LLM_SHAPE_H

#include "agent/llm/draft.h"
#include "base/text/json_write.h"

/* A tool that the model may call. */
struct wl_llm_tool {
	const char *name, *description;
	const char *schema; /* JSON schema of its arguments, as text; an object */
};

/* One request. Borrowed. */
struct wl_llm_request {
	const struct wl_llm_talk *talk;
	const char *model;
	const char *system;
	const struct wl_llm_tool *tools;
	size_t n_tools;
	int64_t max_tokens;
	bool is_stream;
	bool must_answer; /* list the tools, since the conversation has calls, but allow no calls */
};

struct wl_llm_shape {
	const char *name;
	const char *path; /* path after /v1 */
	/* Write the body of a request. False if a schema is not JSON. */
	bool (*write)(const struct wl_llm_request *request, struct wl_jsonw *w);
	/* Read a whole reply, and a stream event; data is the event's content, or NULL at the end
	 * mark of OpenAI's streams. */
	void (*read)(struct wl_llm_draft *d, const struct wl_json *reply);
	void (*event)(struct wl_llm_draft *d, const struct wl_json *data);
	const char *key_header; /* HTTP header text before the key */
	const char *version_header;
};

extern const struct wl_llm_shape wl_llm_anthropic, wl_llm_openai;

/* Write a tool's schema; false if it is not a JSON object. */
bool wl_llm_put_schema(struct wl_jsonw *w, const char *schema);

/* Parse an event's text and pass it on. False once nothing more is wanted. */
bool wl_llm_take_event(const struct wl_llm_shape *shape, struct wl_llm_draft *d, const char *data,
		       size_t n);

/* Parse the text of a whole reply and pass it on. */
void wl_llm_take_whole(const struct wl_llm_shape *shape, struct wl_llm_draft *d, const char *text,
		       size_t n);

#endif
