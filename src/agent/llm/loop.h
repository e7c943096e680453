/* SPDX-License-Identifier: MIT */
/*
 * loop.h - a question to a model that may call tools until it answers.
 *
 * Everything is bounded: calls, bytes of a result, tokens of a reply and of all together, requests.
 * The answer that comes out is what the model said; check.h decides whether it may be shown.
 */
#ifndef WL_AGENT_LLM_LOOP_H
#define WL_AGENT_LLM_LOOP_H

#include "agent/llm/run.h"

/*
 * Ask. WL_OK: the model ended with an answer. WL_E_USAGE: the server does not accept the request
 * (key, model, tools); WL_E_IO, WL_E_TIMEOUT, WL_E_FORMAT: no usable reply after the retries;
 * WL_E_NODATA: it goes on calling tools after the limit, was cut, refused, or said nothing;
 * WL_E_NOMEM, WL_E_CANCELED. The key is in no message and in nothing that stays.
 */
int wl_llm_run(const struct wl_llm_opts *opts, const struct wl_llm_tools *tools,
	       const char *question, struct wl_llm_run *run, struct wl_err *reterr) WL_MUST_CHECK;

#endif
