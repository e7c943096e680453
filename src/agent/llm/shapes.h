/* SPDX-License-Identifier: MIT */
/* shapes.h - the shapes by name, and the addresses of servers that speak them. */
#ifndef WL_AGENT_LLM_SHAPES_H
#define WL_AGENT_LLM_SHAPES_H

#include "agent/llm/shape.h"

/* By name; NULL where there is none. */
const struct wl_llm_shape *wl_llm_shape_find(const char *name);

/* The likely one of a URL: Anthropic's where the URL says so, else OpenAI's. */
const struct wl_llm_shape *wl_llm_shape_of(const char *url);

enum { WL_LLM_URL_CAP = 2048 };

/*
 * Where requests go: the path of the shape behind a base URL, which may end with /v1 or be whole
 * already. WL_E_USAGE where that does not fit or may not be asked (http.h).
 */
int wl_llm_url(const struct wl_llm_shape *shape, const char *base, char ret[WL_LLM_URL_CAP],
	       struct wl_err *reterr) WL_MUST_CHECK;

#endif
