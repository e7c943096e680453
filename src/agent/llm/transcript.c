/* SPDX-License-Identifier: MIT */
/* transcript.c - the record of a question to a model. */
#include "agent/llm/answer.h"
#include "base/text/json_write.h"

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
	wl_jsonw_put_str(w, "kind", kinds[b->kind]);
	if (b->name)
		wl_jsonw_put_str(w, "tool", b->name);
	if (b->is_error || b->is_broken)
		wl_jsonw_put_bool(w, "error", true);
	wl_jsonw_put_str(w, "text", b->text);
	wl_jsonw_end_object(w);
}

static void put_messages(struct wl_jsonw *w, const struct wl_llm_talk *talk)
{
	wl_jsonw_open_array(w, "messages");
	for (const struct wl_llm_message *m = talk->first; m; m = m->next) {
		wl_jsonw_newline(w);
		wl_jsonw_begin_object(w);
		wl_jsonw_put_str(w, "from", m->is_model ? "model" : "warplens");
		wl_jsonw_open_array(w, "blocks");
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
	wl_jsonw_open_object(w, "check");
	wl_jsonw_put_i64(w, "numbers", (int64_t)a->check.n_numbers);
	wl_jsonw_put_i64(w, "from_question", (int64_t)a->check.n_asked);
	wl_jsonw_put_i64(w, "not_found", (int64_t)a->check.n_unfound);
	wl_jsonw_put_str(w, "first_not_found", a->check.unfound);
	wl_jsonw_put_bool(w, "withheld", a->is_withheld);
	wl_jsonw_end_object(w);
	wl_jsonw_newline(w);
	wl_jsonw_put_str(w, "answer", a->text ? a->text : a->check.text);
}

void wl_llm_transcript(FILE *out, const struct wl_llm_opts *opts, const char *question,
		       const struct wl_llm_answer *answer, const struct wl_err *err)
{
	const struct wl_llm_run *run = &answer->run;
	struct wl_jsonw w;

	wl_jsonw_init(&w, out);
	wl_jsonw_begin_object(&w);
	wl_jsonw_put_str(&w, "question", question);
	wl_jsonw_put_str(&w, "url", opts->url);
	wl_jsonw_put_str(&w, "shape", opts->shape->name);
	wl_jsonw_put_str(&w, "model", opts->model);
	wl_jsonw_newline(&w);
	wl_jsonw_put_str(&w, "system", opts->system);
	wl_jsonw_newline(&w);
	put_messages(&w, &run->talk);
	wl_jsonw_newline(&w);
	wl_jsonw_put_i64(&w, "requests", run->n_requests);
	wl_jsonw_put_i64(&w, "retries", run->n_retries);
	wl_jsonw_put_i64(&w, "calls", run->n_calls);
	wl_jsonw_put_i64(&w, "tokens_in", run->usage.input);
	wl_jsonw_put_i64(&w, "tokens_out", run->usage.output);
	if (answer->is_checked)
		put_check(&w, answer);
	if (err) {
		wl_jsonw_newline(&w);
		wl_jsonw_put_str(&w, "error", err->msg);
	}
	wl_jsonw_newline(&w);
	wl_jsonw_end_object(&w);
	wl_jsonw_finish(&w);
}
