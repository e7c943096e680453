/* SPDX-License-Identifier: MIT */
/* trace_names.h - tells a veil the names of a trace: kernels, ranges, files, hosts. */
#ifndef WL_AGENT_LLM_TRACE_NAMES_H
#define WL_AGENT_LLM_TRACE_NAMES_H

#include "agent/llm/veil.h"

struct wl_session;

/* Zeroed at the begin. A trace is read as it is asked, and gets more texts with each question. */
struct wl_trace_names {
	const struct wl_session *session; /* NULL: none is open */
	size_t n_seen;
};

/* The trace is open, or closed with NULL. */
void wl_trace_names_of(struct wl_trace_names *names, const struct wl_session *session);

/*
 * Tell the texts that came since the last time: all but functions of CUDA and of the operating
 * system, which are public; and of each the words that are code, since sentences name kernels
 * in short. False without memory.
 */
bool wl_trace_names_gather(struct wl_trace_names *names, struct wl_llm_veil *veil) WL_MUST_CHECK;

/* The same for one text. */
bool wl_trace_name_add(struct wl_llm_veil *veil, const char *name) WL_MUST_CHECK;

#endif
