/* SPDX-License-Identifier: MIT */
#include "agent/llm/shapes.h"

#include <stdio.h>
#include <string.h>

#include "base/net/http.h"

static const struct wl_llm_shape *const shapes[] = { &wl_llm_anthropic, &wl_llm_openai };

const struct wl_llm_shape *wl_llm_shape_find(const char *name)
{
	for (size_t i = 0; i < WL_COUNT(shapes); i++) {
		if (strcmp(shapes[i]->name, name) == 0)
			return shapes[i];
	}
	return NULL;
}

static size_t length_without_slashes(const char *url)
{
	size_t n = strlen(url);

	while (n && url[n - 1] == '/')
		n--;
	return n;
}

static bool ends_in(const char *s, size_t n, const char *ending)
{
	size_t k = strlen(ending);

	return n >= k && memcmp(s + n - k, ending, k) == 0;
}

const struct wl_llm_shape *wl_llm_shape_of(const char *url)
{
	size_t n = length_without_slashes(url);

	if (ends_in(url, n, wl_llm_anthropic.path) ||
	    (strstr(url, "anthropic") && !ends_in(url, n, wl_llm_openai.path)))
		return &wl_llm_anthropic;
	return &wl_llm_openai;
}

int wl_llm_url(const struct wl_llm_shape *shape, const char *base, char ret[WL_LLM_URL_CAP],
	       struct wl_err *reterr)
{
	size_t n = length_without_slashes(base);
	const char *version = "/v1", *path = shape->path;

	if (strpbrk(base, "?# \t\r\n"))
		return wl_fail(
			reterr, WL_E_USAGE,
			"\"%.200s\": give the address of the model's server without ?, # and "
			"blanks",
			base);
	if (ends_in(base, n, path))
		version = path = "";
	else if (ends_in(base, n, "/v1"))
		version = "";
	if (snprintf(ret, WL_LLM_URL_CAP, "%.*s%s%s", (int)n, base, version, path) >=
	    WL_LLM_URL_CAP)
		return wl_fail(reterr, WL_E_USAGE, "the address of the model's server is too long");
	return wl_http_check_url(ret, reterr);
}
