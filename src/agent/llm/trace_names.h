/* SPDX-License-Identifier: MIT */
/* trace_names.h - adds the names of a trace to a veil: kernels, ranges, files, hosts. */
#ifndef WL_AGENT_LLM_TRACE_NAMES_H
#define WL_AGENT_LLM_TRACE_NAMES_H

#include "agent/llm/veil.h"

struct wl_session;

/* Zeroed initially. A trace is read on demand, so each question may add texts. */
struct wl_trace_names {
	const struct wl_session *session; /* NULL: none is open */
	size_t n_seen;
};

/* Set the open trace; NULL: it is closed. */
void wl_trace_names_of(struct wl_trace_names *names, const struct wl_session *session);

/*
 * Add the texts that are new since the last call, except functions of CUDA and of the operating
 * system, which are public. Also adds the words of each text that are code, since sentences shorten
 * kernel names. False if memory runs out.
 */
bool wl_trace_names_gather(struct wl_trace_names *names, struct wl_llm_veil *veil) WL_MUST_CHECK;

/* The same for one text. */
bool wl_trace_name_add(struct wl_llm_veil *veil, const char *name) WL_MUST_CHECK;

#endif
