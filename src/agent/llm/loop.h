/* SPDX-License-Identifier: MIT */
/*
 * loop.h - puts a question to a model, which may call tools until it answers.
 *
 * Everything is bounded: calls, bytes per result, tokens per reply and in total, requests. The
 * answer is what the model said; check.h decides whether it may be shown.
 */
#ifndef WL_AGENT_LLM_LOOP_H
#define WL_AGENT_LLM_LOOP_H

#include "agent/llm/run.h"

/*
 * Ask the question. WL_OK: the model ended with an answer. WL_E_USAGE: the server does not accept
 * the request (key, model, tools); WL_E_IO, WL_E_TIMEOUT, WL_E_FORMAT: no usable reply after the
 * retries; WL_E_NODATA: the model keeps calling tools past the limit, was cut off, refused, or said
 * nothing; WL_E_NOMEM, WL_E_CANCELED. The key is in no message and in nothing that is kept.
 */
int wl_llm_run(const struct wl_llm_opts *opts, const struct wl_llm_tools *tools,
	       const char *question, struct wl_llm_run *run, struct wl_err *reterr) WL_MUST_CHECK;

#endif
