/* SPDX-License-Identifier: MIT */
/* shape_openai.c - POST /v1/chat/completions, as understood by OpenAI and most local servers. */
#include <stdlib.h>
#include <string.h>

#include "agent/check/json_copy.h"
#include "agent/llm/shape.h"

enum { TEXT_INDEX = -1 }; /* calls are numbered from 0 */

/* ---- Writing ---- */

static void put_said(struct wl_jsonw *w, const char *role, const char *text)
{
	wl_jsonw_begin_object(w);
	wl_jsonw_put_str(w, "role", role);
	wl_jsonw_put_str(w, "content", text);
	wl_jsonw_end_object(w);
}

static void put_call(struct wl_jsonw *w, const struct wl_llm_block *b)
{
	wl_jsonw_begin_object(w);
	wl_jsonw_put_str(w, "id", b->id);
	wl_jsonw_put_str(w, "type", "function");
	wl_jsonw_open_object(w, "function");
	wl_jsonw_put_str(w, "name", b->name);
	wl_jsonw_put_str(w, "arguments", b->text);
	wl_jsonw_end_object(w);
	wl_jsonw_end_object(w);
}

static bool has_kind(const struct wl_llm_message *m, enum wl_llm_block_kind kind)
{
	for (const struct wl_llm_block *b = m->first; b; b = b->next) {
		if (b->kind == kind)
			return true;
	}
	return false;
}

/* Join the texts of a message. */
static void join_texts(const struct wl_llm_message *m, struct wl_text *ret)
{
	for (const struct wl_llm_block *b = m->first; b; b = b->next) {
		if (b->kind == WL_LLM_TEXT)
			wl_text_puts(ret, b->text);
	}
}

static bool put_model_message(struct wl_jsonw *w, const struct wl_llm_message *m)
{
	struct wl_text text = { 0 };
	bool ok;

	join_texts(m, &text);
	wl_jsonw_begin_object(w);
	wl_jsonw_put_str(w, "role", "assistant");
	/* Some templates fail on null, and some servers fail on a call without content. */
	wl_jsonw_put_str(w, "content", wl_text_get(&text));
	if (has_kind(m, WL_LLM_CALL)) {
		wl_jsonw_open_array(w, "tool_calls");
		for (const struct wl_llm_block *b = m->first; b; b = b->next) {
			if (b->kind == WL_LLM_CALL)
				put_call(w, b);
		}
		wl_jsonw_end_array(w);
	}
	wl_jsonw_end_object(w);
	ok = !text.failed;
	wl_text_release(&text);
	return ok;
}

static void put_our_message(struct wl_jsonw *w, const struct wl_llm_message *m)
{
	for (const struct wl_llm_block *b = m->first; b; b = b->next) {
		if (b->kind == WL_LLM_TEXT) {
			put_said(w, "user", b->text);
		} else if (b->kind == WL_LLM_RESULT) {
			wl_jsonw_begin_object(w);
			wl_jsonw_put_str(w, "role", "tool");
			wl_jsonw_put_str(w, "tool_call_id", b->id);
			wl_jsonw_put_str(w, "content", b->text);
			wl_jsonw_end_object(w);
		}
	}
}

static bool put_messages(struct wl_jsonw *w, const struct wl_llm_request *r)
{
	bool ok = true;

	wl_jsonw_open_array(w, "messages");
	put_said(w, "system", r->system);
	for (const struct wl_llm_message *m = r->talk->first; m; m = m->next) {
		if (m->is_model && m->first)
			ok = put_model_message(w, m) && ok;
		else
			put_our_message(w, m);
	}
	wl_jsonw_end_array(w);
	return ok;
}

static bool put_tools(struct wl_jsonw *w, const struct wl_llm_request *r)
{
	bool ok = true;

	wl_jsonw_open_array(w, "tools");
	for (size_t i = 0; i < r->n_tools; i++) {
		wl_jsonw_begin_object(w);
		wl_jsonw_put_str(w, "type", "function");
		wl_jsonw_open_object(w, "function");
		wl_jsonw_put_str(w, "name", r->tools[i].name);
		wl_jsonw_put_str(w, "description", r->tools[i].description);
		wl_jsonw_key(w, "parameters");
		ok = wl_llm_put_schema(w, r->tools[i].schema) && ok;
		wl_jsonw_end_object(w);
		wl_jsonw_end_object(w);
	}
	wl_jsonw_end_array(w);
	wl_jsonw_put_str(w, "tool_choice", r->must_answer ? "none" : "auto");
	return ok;
}

/* Local servers know the limit's old name, which OpenAI's reasoning models reject. */
static bool wants_new_name(const char *model)
{
	static const char *const begins[] = { "gpt-5", "o1", "o3", "o4" };

	for (size_t i = 0; i < WL_COUNT(begins); i++) {
		if (strncmp(model, begins[i], strlen(begins[i])) == 0)
			return true;
	}
	return false;
}

static bool write_request(const struct wl_llm_request *r, struct wl_jsonw *w)
{
	bool ok;

	wl_jsonw_begin_object(w);
	wl_jsonw_put_str(w, "model", r->model);
	wl_jsonw_put_i64(w, wants_new_name(r->model) ? "max_completion_tokens" : "max_tokens",
			 r->max_tokens);
	ok = put_messages(w, r);
	if (r->n_tools)
		ok = put_tools(w, r) && ok;
	wl_jsonw_put_bool(w, "stream", r->is_stream);
	if (r->is_stream) {
		wl_jsonw_open_object(w, "stream_options");
		wl_jsonw_put_bool(w, "include_usage", true);
		wl_jsonw_end_object(w);
	}
	wl_jsonw_end_object(w);
	return ok;
}

/* ---- Reading ---- */

static void take_stop(struct wl_llm_draft *d, const char *reason)
{
	if (!reason)
		return;
	d->stop = WL_LLM_ENDED;
	if (strcmp(reason, "length") == 0)
		d->stop = WL_LLM_LENGTH;
	else if (strcmp(reason, "content_filter") == 0)
		d->stop = WL_LLM_REFUSED;
}

static void take_usage(struct wl_llm_draft *d, const struct wl_json *usage)
{
	int64_t in = wl_json_i64_of(usage, "prompt_tokens");
	int64_t out = wl_json_i64_of(usage, "completion_tokens");

	if (in > d->usage.input)
		d->usage.input = in;
	if (out > d->usage.output)
		d->usage.output = out;
}

static void take_text(struct wl_llm_draft *d, const char *text)
{
	struct wl_llm_piece *p = text && *text ? wl_llm_draft_at(d, WL_LLM_TEXT, TEXT_INDEX) : NULL;

	if (p)
		wl_text_puts(&p->text, text);
}

/* Content is a text, or a list of parts with texts. */
static void take_content(struct wl_llm_draft *d, const struct wl_json *content)
{
	if (!content)
		return;
	take_text(d, wl_json_string(content));
	for (size_t i = 0; wl_json_type_of(content) == WL_JSON_ARRAY && i < wl_json_size(content);
	     i++)
		take_text(d, wl_json_text_of(wl_json_at(content, i), "text"));
}

/* Arguments are a text, as the protocol says, or an object, as some servers send it. */
static void take_arguments(struct wl_llm_draft *d, struct wl_llm_piece *p,
			   const struct wl_json *arguments)
{
	const char *text = arguments ? wl_json_string(arguments) : NULL;
	char *copied = NULL;

	if (!arguments)
		return;
	if (!text)
		text = copied = wl_json_copy_text(arguments);
	d->failed = d->failed || !text;
	if (text)
		wl_text_puts(&p->text, text);
	free(copied);
}

/* Set a text once: servers repeat identifiers and names in each part of a call, or omit them. */
static void set_once(struct wl_text *t, const char *text)
{
	if (text && t->n == 0)
		wl_text_puts(t, text);
}

/*
 * The index of the call in a stream that a part belongs to. Without an index, a part with a name
 * begins a call and other parts continue the last.
 */
static int64_t index_of(const struct wl_llm_draft *d, const struct wl_json *call, size_t i)
{
	const struct wl_json *index = wl_json_value_of(call, "index");
	int64_t last = -1;

	if (index)
		return wl_json_i64_of(call, "index");
	for (size_t k = 0; k < d->n; k++) {
		if (d->piece[k].kind == WL_LLM_CALL && d->piece[k].index > last)
			last = d->piece[k].index;
	}
	if (wl_json_text_of(wl_json_value_of(call, "function"), "name") || last < 0)
		return last + 1;
	return last + (int64_t)(i > 0 ? 1 : 0);
}

static void take_call(struct wl_llm_draft *d, const struct wl_json *call, int64_t index)
{
	const struct wl_json *function = wl_json_value_of(call, "function");
	struct wl_llm_piece *p = wl_llm_draft_at(d, WL_LLM_CALL, index);

	if (!p)
		return;
	set_once(&p->id, wl_json_text_of(call, "id"));
	set_once(&p->name, wl_json_text_of(function, "name"));
	take_arguments(d, p, wl_json_value_of(function, "arguments"));
}

/* Take a message, or the part of one in an event. */
static void take_message(struct wl_llm_draft *d, const struct wl_json *message)
{
	const struct wl_json *calls = wl_json_value_of(message, "tool_calls");
	const char *refusal = wl_json_text_of(message, "refusal");

	take_content(d, wl_json_value_of(message, "content"));
	if (refusal && *refusal) {
		take_text(d, refusal);
		d->stop = WL_LLM_REFUSED;
	}
	for (size_t i = 0;
	     calls && wl_json_type_of(calls) == WL_JSON_ARRAY && i < wl_json_size(calls); i++) {
		const struct wl_json *call = wl_json_at(calls, i);

		take_call(d, call, index_of(d, call, i));
	}
}

static const struct wl_json *first_choice(const struct wl_json *reply)
{
	const struct wl_json *choices = wl_json_value_of(reply, "choices");

	if (!choices || wl_json_type_of(choices) != WL_JSON_ARRAY || wl_json_size(choices) == 0)
		return NULL;
	return wl_json_at(choices, 0);
}

static void read_whole(struct wl_llm_draft *d, const struct wl_json *reply)
{
	const struct wl_json *choice = first_choice(reply);
	const struct wl_json *message = wl_json_value_of(choice, "message");

	if (!message) {
		(void)snprintf(d->nonsense, sizeof(d->nonsense), "it has no choices");
		return;
	}
	take_stop(d, wl_json_text_of(choice, "finish_reason"));
	take_message(d, message);
	take_usage(d, wl_json_value_of(reply, "usage"));
	d->is_done = true;
}

/* Some servers omit the stream's end mark, so the finish reason ends the reply, too. */
static void take_event(struct wl_llm_draft *d, const struct wl_json *data)
{
	const struct wl_json *choice = first_choice(data);
	const char *reason = wl_json_text_of(choice, "finish_reason");

	if (!data)
		return;
	take_message(d, wl_json_value_of(choice, "delta"));
	take_usage(d, wl_json_value_of(data, "usage"));
	if (reason && *reason) {
		take_stop(d, reason);
		d->is_done = true;
	}
}

const struct wl_llm_shape wl_llm_openai = {
	.name = "openai",
	.path = "/chat/completions",
	.write = write_request,
	.read = read_whole,
	.event = take_event,
	.key_header = "Authorization: Bearer ",
};
