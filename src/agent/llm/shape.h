/* SPDX-License-Identifier: MIT */
/*
 * shape.h - the two ways in which models are asked over HTTP: Anthropic's messages and OpenAI's
 * chat completions, both of which local servers speak as well.
 */
#ifndef WL_AGENT_LLM_SHAPE_H
#define WL_AGENT_LLM_SHAPE_H

#include "agent/llm/draft.h"
#include "base/text/json_write.h"

/* A tool that the model may call. */
struct wl_llm_tool {
	const char *name, *description;
	const char *schema; /* of its arguments, JSON text, an object */
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
	bool must_answer; /* tools are listed, since the conversation has calls, but not allowed */
};

struct wl_llm_shape {
	const char *name;
	const char *path; /* behind /v1 */
	/* The body of a request. False where a schema is no JSON. */
	bool (*write)(const struct wl_llm_request *request, struct wl_jsonw *w);
	/* A whole reply, and an event of a stream; data is what the event holds, or NULL at the
	   end mark of OpenAI's streams. */
	void (*read)(struct wl_llm_draft *d, const struct wl_json *reply);
	void (*event)(struct wl_llm_draft *d, const struct wl_json *data);
	const char *key_header; /* what stands before the key */
	const char *version_header;
};

extern const struct wl_llm_shape wl_llm_anthropic, wl_llm_openai;

/* Write a tool's schema; false where it is no JSON object. */
bool wl_llm_put_schema(struct wl_jsonw *w, const char *schema);

/* Take an event's text: parse it and pass it on. False once nothing more is wanted. */
bool wl_llm_take_event(const struct wl_llm_shape *shape, struct wl_llm_draft *d, const char *data,
		       size_t n);

/* Take a whole reply's text. */
void wl_llm_take_whole(const struct wl_llm_shape *shape, struct wl_llm_draft *d, const char *text,
		       size_t n);

#endif
