/* SPDX-License-Identifier: MIT */
#include "agent/llm/loop.h"

#include <stdlib.h>
#include <string.h>

#include "agent/llm/send.h"
#include "agent/llm/veil.h"
#include "base/text/utf8.h"

/* A question in progress. */
struct asking {
	const struct wl_llm_opts *opts;
	const struct wl_llm_tools *tools;
	struct wl_llm_run *run;
};

static int fail_nomem(struct wl_err *reterr)
{
	return wl_fail(reterr, WL_E_NOMEM, "no memory for a conversation");
}

static void report_event(const struct asking *a, enum wl_llm_event event, const char *what)
{
	if (a->opts->tell)
		a->opts->tell(a->opts->context, event, what);
}

static const struct wl_llm_tool *find_tool(const struct wl_llm_tools *tools, const char *name)
{
	for (size_t i = 0; i < tools->n; i++) {
		if (strcmp(tools->list[i].name, name) == 0)
			return &tools->list[i];
	}
	return NULL;
}

/* Cut a result that exceeds its bound, between characters. */
static void bound(char *text)
{
	static const char note[] = " [cut here: ask for less]";
	size_t n = strlen(text), keep = WL_LLM_RESULT_BYTES - sizeof(note);

	if (n <= WL_LLM_RESULT_BYTES)
		return;
	while (keep && ((unsigned char)text[keep] & 0xC0U) == 0x80U)
		keep--;
	memcpy(text + keep, note, sizeof(note));
}

/* What a refused call gets instead of a result; NULL if the call is made. */
static const char *refusal(const struct asking *a, const struct wl_llm_block *call)
{
	if (!find_tool(a->tools, call->name))
		return "there is no such tool; use those that are listed";
	if (call->is_broken)
		return "the arguments are not a JSON object; send them again as JSON";
	if (a->run->n_calls >= WL_LLM_MAX_CALLS)
		return "no calls are left; answer now with the results you have, and say what is "
		       "missing";
	return NULL;
}

/* Replace tokens by names in the arguments, call, and replace names by tokens in the result. */
static int call_tool(struct asking *a, const struct wl_llm_block *call, char **ret, bool *is_error,
		     struct wl_err *reterr)
{
	struct wl_llm_veil *veil = a->opts->veil;
	char *args = veil ? wl_llm_veil_reveal_json(veil, call->text) : NULL, *hidden;
	int r;

	if (veil && !args)
		return fail_nomem(reterr);
	a->run->n_calls++;
	report_event(a, WL_LLM_CALLING, call->name);
	r = a->tools->call(a->tools->context, call->name, args ? args : call->text, ret, is_error,
			   reterr);
	free(args);
	if (r < 0 || !veil)
		return r;
	hidden = wl_llm_veil_hide_json(veil, *ret);
	free(*ret);
	*ret = hidden;
	return hidden ? WL_OK : fail_nomem(reterr);
}

static int answer_call(struct asking *a, const struct wl_llm_block *call, struct wl_llm_message *to,
		       struct wl_err *reterr)
{
	struct wl_llm_block result = { .kind = WL_LLM_RESULT, .id = call->id, .name = call->name };
	const char *no = refusal(a, call);
	char *text = NULL;
	bool ok;
	int r;

	result.is_error = no != NULL;
	if (!no) {
		r = call_tool(a, call, &text, &result.is_error, reterr);
		if (r < 0)
			return r;
		bound(text);
	}
	result.text = no ? no : text;
	ok = wl_llm_message_add(&a->run->talk, to, &result) != NULL;
	free(text);
	return ok ? WL_OK : fail_nomem(reterr);
}

static bool has_calls(const struct wl_llm_message *m)
{
	for (const struct wl_llm_block *b = m->first; b; b = b->next) {
		if (b->kind == WL_LLM_CALL)
			return true;
	}
	return false;
}

/* All results of a reply go back in one message. */
static int answer_calls(struct asking *a, const struct wl_llm_message *m, struct wl_err *reterr)
{
	struct wl_llm_message *to = wl_llm_talk_add(&a->run->talk, false);

	if (!to)
		return fail_nomem(reterr);
	for (const struct wl_llm_block *b = m->first; b; b = b->next) {
		int r = b->kind == WL_LLM_CALL ? answer_call(a, b, to, reterr) : WL_OK;

		if (r < 0)
			return r;
	}
	return WL_OK;
}

/* Join the texts of the last message as the answer. */
static int take_answer(struct asking *a, const struct wl_llm_message *m, struct wl_err *reterr)
{
	struct wl_text text = { 0 };
	const char *answer = NULL;

	for (const struct wl_llm_block *b = m->first; b; b = b->next) {
		if (b->kind == WL_LLM_TEXT)
			wl_text_puts(&text, b->text);
	}
	if (!text.failed)
		answer = wl_arena_strdup(a->run->talk.arena, wl_text_get(&text));
	wl_text_release(&text);
	a->run->answer = answer ? answer : "";
	return answer ? WL_OK : fail_nomem(reterr);
}

static int judge_end(const struct asking *a, const struct wl_llm_reply *reply,
		     struct wl_err *reterr)
{
	switch (reply->stop) {
	case WL_LLM_LENGTH:
		return wl_fail(reterr, WL_E_NODATA,
			       "the model's answer was cut at the limit of its tokens; ask for "
			       "less, or raise --max-tokens");
	case WL_LLM_REFUSED:
		return wl_fail(reterr, WL_E_NODATA, "the model's provider refused to answer");
	case WL_LLM_FULL:
		return wl_fail(reterr, WL_E_NODATA,
			       "the conversation does not fit into the model's context");
	case WL_LLM_ENDED:
	case WL_LLM_PAUSED:
		break;
	}
	if (!a->run->answer[strspn(a->run->answer, " \t\r\n")])
		return wl_fail(reterr, WL_E_NODATA, "the model said nothing");
	return WL_OK;
}

static int check_tokens(const struct asking *a, struct wl_err *reterr)
{
	int64_t limit = a->opts->all_tokens ? a->opts->all_tokens : WL_LLM_ALL_TOKENS;
	const struct wl_llm_usage *u = &a->run->usage;

	if (u->input + u->output <= limit)
		return WL_OK;
	return wl_fail(reterr, WL_E_NODATA,
		       "the question used more than %lld tokens without an answer",
		       (long long)limit);
}

/*
 * The loop ends because each round makes at least one call or is a pause: the allowed calls are
 * followed by one round whose calls are refused and one that may not call.
 */
static int converse(struct asking *a, struct wl_err *reterr)
{
	enum { MAX_ROUNDS = WL_LLM_MAX_CALLS + 3 };

	for (int round = 0; round < MAX_ROUNDS; round++) {
		bool must_answer = a->run->n_calls >= WL_LLM_MAX_CALLS;
		struct wl_llm_reply reply;
		int r;

		report_event(a, WL_LLM_ASKING, "");
		r = wl_llm_send(a->opts, a->tools, must_answer, a->run, &reply, reterr);
		if (r < 0)
			return r;
		r = take_answer(a, reply.message, reterr);
		if (r < 0)
			return r;
		if (!has_calls(reply.message) && reply.stop != WL_LLM_PAUSED)
			return judge_end(a, &reply, reterr);
		r = check_tokens(a, reterr);
		if (r == WL_OK && has_calls(reply.message))
			r = answer_calls(a, reply.message, reterr);
		if (r < 0)
			return r;
	}
	return wl_fail(reterr, WL_E_NODATA,
		       "the model goes on calling tools after %d calls instead of answering",
		       WL_LLM_MAX_CALLS);
}

static int put_question(struct asking *a, const char *question, struct wl_err *reterr)
{
	struct wl_llm_message *m = wl_llm_talk_add(&a->run->talk, false);
	struct wl_llm_veil *veil = a->opts->veil;
	char *hidden = veil ? wl_llm_veil_hide(veil, question) : NULL;
	bool ok = m && (!veil || hidden) &&
		  wl_llm_message_add(&a->run->talk, m,
				     &(struct wl_llm_block){ .kind = WL_LLM_TEXT,
							     .text = hidden ? hidden : question });

	free(hidden);
	return ok ? WL_OK : fail_nomem(reterr);
}

int wl_llm_run(const struct wl_llm_opts *opts, const struct wl_llm_tools *tools,
	       const char *question, struct wl_llm_run *run, struct wl_err *reterr)
{
	struct asking a = { .opts = opts, .tools = tools, .run = run };
	size_t n = strlen(question);
	int r;

	run->answer = "";
	if (n > WL_LLM_QUESTION_BYTES || !wl_utf8_is_valid(question, n))
		return wl_fail(reterr, WL_E_USAGE, "the question is no text of at most %d bytes",
			       WL_LLM_QUESTION_BYTES);
	r = put_question(&a, question, reterr);
	return r < 0 ? r : converse(&a, reterr);
}
