/* SPDX-License-Identifier: MIT */
/* shapes.h - finds shapes by name or URL, and makes the addresses of requests. */
#ifndef WL_AGENT_LLM_SHAPES_H
#define WL_AGENT_LLM_SHAPES_H

#include "agent/llm/shape.h"

/* The shape of this name; NULL if there is none. */
const struct wl_llm_shape *wl_llm_shape_find(const char *name);

/* The likely shape for a URL: Anthropic's if the URL says so, else OpenAI's. */
const struct wl_llm_shape *wl_llm_shape_of(const char *url);

enum { WL_LLM_URL_CAP = 2048 };

/*
 * The address for requests: a base URL followed by the path of the shape. The base may end with /v1
 * or already have the path. WL_E_USAGE if it does not fit or is not allowed (http.h).
 */
int wl_llm_url(const struct wl_llm_shape *shape, const char *base, char ret[WL_LLM_URL_CAP],
	       struct wl_err *reterr) WL_MUST_CHECK;

#endif
