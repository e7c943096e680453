/* SPDX-License-Identifier: MIT */
/* transcript.c - the record of a question to a model. */
#include "agent/llm/answer.h"
#include "base/text/json_write.h"

static void put_text(struct wl_jsonw *w, const char *key, const char *text)
{
	wl_jsonw_key(w, key);
	wl_jsonw_str(w, text);
}

static void put_count(struct wl_jsonw *w, const char *key, int64_t n)
{
	wl_jsonw_key(w, key);
	wl_jsonw_i64(w, n);
}

static void put_block(struct wl_jsonw *w, const struct wl_llm_block *b)
{
	static const char *const kinds[] = {
		[WL_LLM_TEXT] = "text",
		[WL_LLM_CALL] = "call",
		[WL_LLM_RESULT] = "result",
		[WL_LLM_OTHER] = "other",
	};

	wl_jsonw_newline(w);
	wl_jsonw_begin_object(w);
	put_text(w, "kind", kinds[b->kind]);
	if (b->name)
		put_text(w, "tool", b->name);
	if (b->is_error || b->is_broken) {
		wl_jsonw_key(w, "error");
		wl_jsonw_bool(w, true);
	}
	put_text(w, "text", b->text);
	wl_jsonw_end_object(w);
}

static void put_messages(struct wl_jsonw *w, const struct wl_llm_talk *talk)
{
	wl_jsonw_key(w, "messages");
	wl_jsonw_begin_array(w);
	for (const struct wl_llm_message *m = talk->first; m; m = m->next) {
		wl_jsonw_newline(w);
		wl_jsonw_begin_object(w);
		put_text(w, "from", m->is_model ? "model" : "warplens");
		wl_jsonw_key(w, "blocks");
		wl_jsonw_begin_array(w);
		for (const struct wl_llm_block *b = m->first; b; b = b->next)
			put_block(w, b);
		wl_jsonw_end_array(w);
		wl_jsonw_end_object(w);
	}
	wl_jsonw_end_array(w);
}

static void put_check(struct wl_jsonw *w, const struct wl_llm_answer *a)
{
	wl_jsonw_newline(w);
	wl_jsonw_key(w, "check");
	wl_jsonw_begin_object(w);
	put_count(w, "numbers", (int64_t)a->check.n_numbers);
	put_count(w, "from_question", (int64_t)a->check.n_asked);
	put_count(w, "not_found", (int64_t)a->check.n_unfound);
	put_text(w, "first_not_found", a->check.unfound);
	wl_jsonw_key(w, "withheld");
	wl_jsonw_bool(w, a->is_withheld);
	wl_jsonw_end_object(w);
	wl_jsonw_newline(w);
	put_text(w, "answer", a->text ? a->text : a->check.text);
}

void wl_llm_transcript(FILE *out, const struct wl_llm_opts *opts, const char *question,
		       const struct wl_llm_answer *answer, const struct wl_err *err)
{
	const struct wl_llm_run *run = &answer->run;
	struct wl_jsonw w;

	wl_jsonw_init(&w, out);
	wl_jsonw_begin_object(&w);
	put_text(&w, "question", question);
	put_text(&w, "url", opts->url);
	put_text(&w, "shape", opts->shape->name);
	put_text(&w, "model", opts->model);
	wl_jsonw_newline(&w);
	put_text(&w, "system", opts->system);
	wl_jsonw_newline(&w);
	put_messages(&w, &run->talk);
	wl_jsonw_newline(&w);
	put_count(&w, "requests", run->n_requests);
	put_count(&w, "retries", run->n_retries);
	put_count(&w, "calls", run->n_calls);
	put_count(&w, "tokens_in", run->usage.input);
	put_count(&w, "tokens_out", run->usage.output);
	if (answer->is_checked)
		put_check(&w, answer);
	if (err) {
		wl_jsonw_newline(&w);
		put_text(&w, "error", err->msg);
	}
	wl_jsonw_newline(&w);
	wl_jsonw_end_object(&w);
	wl_jsonw_finish(&w);
}
