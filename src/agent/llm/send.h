/* SPDX-License-Identifier: MIT */
/* send.h - one request to a model, with its retries. */
#ifndef WL_AGENT_LLM_SEND_H
#define WL_AGENT_LLM_SEND_H

#include "agent/llm/run.h"

/*
 * Send the conversation and append the reply to it. Counts requests, retries and tokens in run.
 * Returns the statuses of wl_llm_run.
 */
int wl_llm_send(const struct wl_llm_opts *opts, const struct wl_llm_tools *tools, bool must_answer,
		struct wl_llm_run *run, struct wl_llm_reply *ret,
		struct wl_err *reterr) WL_MUST_CHECK;

#endif
