/* SPDX-License-Identifier: MIT */
/* shape_anthropic.c - POST /v1/messages. */
#include <stdlib.h>
#include <string.h>

#include "agent/check/json_copy.h"
#include "agent/llm/shape.h"

/* ---- Writing ---- */

/* Write JSON that the draft has already checked. */
static void put_json(struct wl_jsonw *w, const char *text)
{
	(void)wl_llm_put_schema(w, text);
}

static void put_block(struct wl_jsonw *w, const struct wl_llm_block *b)
{
	if (b->kind == WL_LLM_OTHER) {
		put_json(w, b->text);
		return;
	}
	wl_jsonw_begin_object(w);
	if (b->kind == WL_LLM_TEXT) {
		wl_jsonw_put_str(w, "type", "text");
		wl_jsonw_put_str(w, "text", b->text);
	} else if (b->kind == WL_LLM_CALL) {
		wl_jsonw_put_str(w, "type", "tool_use");
		wl_jsonw_put_str(w, "id", b->id);
		wl_jsonw_put_str(w, "name", b->name);
		wl_jsonw_key(w, "input");
		put_json(w, b->text);
	} else {
		wl_jsonw_put_str(w, "type", "tool_result");
		wl_jsonw_put_str(w, "tool_use_id", b->id);
		wl_jsonw_put_str(w, "content", b->text);
		if (b->is_error)
			wl_jsonw_put_bool(w, "is_error", true);
	}
	wl_jsonw_end_object(w);
}

/* All results of one reply must be in one message; the talk already stores them that way. */
static void put_messages(struct wl_jsonw *w, const struct wl_llm_talk *talk)
{
	wl_jsonw_open_array(w, "messages");
	for (const struct wl_llm_message *m = talk->first; m; m = m->next) {
		if (!m->first)
			continue;
		wl_jsonw_begin_object(w);
		wl_jsonw_put_str(w, "role", m->is_model ? "assistant" : "user");
		wl_jsonw_open_array(w, "content");
		for (const struct wl_llm_block *b = m->first; b; b = b->next)
			put_block(w, b);
		wl_jsonw_end_array(w);
		wl_jsonw_end_object(w);
	}
	wl_jsonw_end_array(w);
}

static bool put_tools(struct wl_jsonw *w, const struct wl_llm_request *r)
{
	bool ok = true;

	wl_jsonw_open_array(w, "tools");
	for (size_t i = 0; i < r->n_tools; i++) {
		wl_jsonw_begin_object(w);
		wl_jsonw_put_str(w, "name", r->tools[i].name);
		wl_jsonw_put_str(w, "description", r->tools[i].description);
		wl_jsonw_key(w, "input_schema");
		ok = wl_llm_put_schema(w, r->tools[i].schema) && ok;
		wl_jsonw_end_object(w);
	}
	wl_jsonw_end_array(w);
	wl_jsonw_open_object(w, "tool_choice");
	wl_jsonw_put_str(w, "type", r->must_answer ? "none" : "auto");
	wl_jsonw_end_object(w);
	return ok;
}

static bool write_request(const struct wl_llm_request *r, struct wl_jsonw *w)
{
	bool ok = true;

	wl_jsonw_begin_object(w);
	wl_jsonw_put_str(w, "model", r->model);
	wl_jsonw_put_i64(w, "max_tokens", r->max_tokens);
	wl_jsonw_put_str(w, "system", r->system);
	put_messages(w, r->talk);
	if (r->n_tools)
		ok = put_tools(w, r);
	wl_jsonw_put_bool(w, "stream", r->is_stream);
	wl_jsonw_end_object(w);
	return ok;
}

/* ---- Reading ---- */

static void take_stop(struct wl_llm_draft *d, const char *reason)
{
	static const struct {
		const char *reason;
		enum wl_llm_stop stop;
	} stops[] = {
		{ "max_tokens", WL_LLM_LENGTH },
		{ "pause_turn", WL_LLM_PAUSED },
		{ "refusal", WL_LLM_REFUSED },
		{ "model_context_window_exceeded", WL_LLM_FULL },
	};

	if (!reason)
		return;
	d->stop = WL_LLM_ENDED;
	for (size_t i = 0; i < WL_COUNT(stops); i++) {
		if (strcmp(stops[i].reason, reason) == 0)
			d->stop = stops[i].stop;
	}
}

/* The first event counts input tokens, the last output tokens; either may have both. */
static void take_usage(struct wl_llm_draft *d, const struct wl_json *usage)
{
	int64_t in = wl_json_i64_of(usage, "input_tokens") +
		     wl_json_i64_of(usage, "cache_read_input_tokens") +
		     wl_json_i64_of(usage, "cache_creation_input_tokens");
	int64_t out = wl_json_i64_of(usage, "output_tokens");

	if (in > d->usage.input)
		d->usage.input = in;
	if (out > d->usage.output)
		d->usage.output = out;
}

static void take_input(struct wl_llm_draft *d, struct wl_llm_piece *p, const struct wl_json *block)
{
	const struct wl_json *input = wl_json_value_of(block, "input");
	const char *as_text = input ? wl_json_string(input) : NULL;
	char *text;

	/* A stream begins with an empty object and sends the text afterwards. */
	if (!input || (!as_text && wl_json_size(input) == 0))
		return;
	text = as_text ? NULL : wl_json_copy_text(input);
	d->failed = d->failed || (!as_text && !text);
	wl_text_puts(&p->text, as_text ? as_text : text ? text : "");
	free(text);
}

static void take_block(struct wl_llm_draft *d, int64_t index, const struct wl_json *block)
{
	const char *type = wl_json_text_of(block, "type");
	const char *text = wl_json_text_of(block, "text");
	const char *id = wl_json_text_of(block, "id"), *name = wl_json_text_of(block, "name");
	enum wl_llm_block_kind kind = WL_LLM_OTHER;
	struct wl_llm_piece *p;

	if (!type)
		return;
	if (strcmp(type, "text") == 0)
		kind = WL_LLM_TEXT;
	else if (strcmp(type, "tool_use") == 0)
		kind = WL_LLM_CALL;
	p = wl_llm_draft_at(d, kind, index);
	if (!p)
		return;
	if (kind == WL_LLM_OTHER)
		wl_llm_draft_start(d, p, block);
	else if (kind == WL_LLM_TEXT)
		wl_text_puts(&p->text, text ? text : "");
	else {
		wl_text_puts(&p->id, id ? id : "");
		wl_text_puts(&p->name, name ? name : "");
		take_input(d, p, block);
	}
}

static void read_whole(struct wl_llm_draft *d, const struct wl_json *reply)
{
	const struct wl_json *content = wl_json_value_of(reply, "content");

	if (!content || wl_json_type_of(content) != WL_JSON_ARRAY) {
		(void)snprintf(d->nonsense, sizeof(d->nonsense), "it has no content");
		return;
	}
	for (size_t i = 0; i < wl_json_size(content); i++)
		take_block(d, (int64_t)i, wl_json_at(content, i));
	take_stop(d, wl_json_text_of(reply, "stop_reason"));
	take_usage(d, wl_json_value_of(reply, "usage"));
	d->is_done = true;
}

static void take_delta(struct wl_llm_draft *d, int64_t index, const struct wl_json *delta)
{
	struct wl_llm_piece *p = wl_llm_draft_find(d, index);
	const char *text = wl_json_text_of(delta, "text");
	const char *json = wl_json_text_of(delta, "partial_json");

	/* Some servers omit the start event of a text. */
	if (!p && text)
		p = wl_llm_draft_at(d, WL_LLM_TEXT, index);
	if (!p || !delta)
		return;
	if (p->kind == WL_LLM_OTHER)
		wl_llm_draft_grow(d, p, delta);
	else if (p->kind == WL_LLM_TEXT && text)
		wl_text_puts(&p->text, text);
	else if (p->kind == WL_LLM_CALL && json)
		wl_text_puts(&p->text, json);
}

static void take_event(struct wl_llm_draft *d, const struct wl_json *data)
{
	const char *type = wl_json_text_of(data, "type");
	int64_t index = wl_json_i64_of(data, "index");

	if (!type)
		return;
	if (strcmp(type, "message_start") == 0) {
		take_usage(d, wl_json_value_of(wl_json_value_of(data, "message"), "usage"));
	} else if (strcmp(type, "content_block_start") == 0) {
		take_block(d, index, wl_json_value_of(data, "content_block"));
	} else if (strcmp(type, "content_block_delta") == 0) {
		take_delta(d, index, wl_json_value_of(data, "delta"));
	} else if (strcmp(type, "message_delta") == 0) {
		take_stop(d, wl_json_text_of(wl_json_value_of(data, "delta"), "stop_reason"));
		take_usage(d, wl_json_value_of(data, "usage"));
	} else if (strcmp(type, "message_stop") == 0) {
		d->is_done = true;
	}
}

const struct wl_llm_shape wl_llm_anthropic = {
	.name = "anthropic",
	.path = "/messages",
	.write = write_request,
	.read = read_whole,
	.event = take_event,
	.key_header = "x-api-key: ",
	.version_header = "anthropic-version: 2023-06-01",
};
