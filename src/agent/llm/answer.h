/* SPDX-License-Identifier: MIT */
/* answer.h - a model's answer to a question, with its numbers checked, and the transcript. */
#ifndef WL_AGENT_LLM_ANSWER_H
#define WL_AGENT_LLM_ANSWER_H

#include <stdio.h>

#include "agent/check/numbers.h"
#include "agent/llm/run.h"

/* The system prompt, written for n traces with handles t1, t2, ... */
enum { WL_LLM_SYSTEM_CAP = 4096 };
const char *wl_llm_system(size_t n_traces, char buf[WL_LLM_SYSTEM_CAP]);

struct wl_llm_answer {
	struct wl_llm_run run; /* the caller sets its arena */
	bool is_checked;
	struct wl_numbers_check check;
	char *text; /* to show: marked where numbers were not found, hidden names restored */
	bool is_withheld;
};

/*
 * Ask, check and restore hidden names. WL_OK: text may be shown. WL_E_INCOMPARABLE: the answer is
 * withheld, and the message says which numbers no tool gave. Otherwise the status of wl_llm_run.
 * Release it in any case.
 */
int wl_llm_answer(const struct wl_llm_opts *opts, const struct wl_llm_tools *tools,
		  const char *question, struct wl_llm_answer *ret,
		  struct wl_err *reterr) WL_MUST_CHECK;
void wl_llm_answer_release(struct wl_llm_answer *answer); /* accepts a zeroed struct */

/*
 * Write everything as a JSON document: what was sent and received, the check and the answer, even
 * if withheld. err is the final error, NULL for success. The key is not included.
 */
void wl_llm_transcript(FILE *out, const struct wl_llm_opts *opts, const char *question,
		       const struct wl_llm_answer *answer, const struct wl_err *err);

#endif
