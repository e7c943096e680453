/* SPDX-License-Identifier: MIT */
/* registry.c - finds the formats of formats.def by name. */
#include "render/formats.h"

#include <stdio.h>
#include <string.h>
#include <strings.h>

const struct wl_format wl_formats[] = {
#define WL_FORMAT(id, ...) { .render = wl_render_##id, __VA_ARGS__ },
#include "render/formats.def"
#undef WL_FORMAT
};

const size_t wl_n_formats = WL_COUNT(wl_formats);

const struct wl_format *wl_format_find(const char *name)
{
	for (size_t i = 0; i < wl_n_formats; i++) {
		if (strcmp(wl_formats[i].name, name) == 0)
			return &wl_formats[i];
	}
	return NULL;
}

const struct wl_format *wl_format_of_file(const char *path)
{
	size_t len = strlen(path);

	for (size_t i = 0; i < wl_n_formats; i++) {
		size_t n = strlen(wl_formats[i].ending);

		if (len > n && strcasecmp(path + len - n, wl_formats[i].ending) == 0)
			return &wl_formats[i];
	}
	return NULL;
}

const char *wl_format_list_endings(char buf[WL_FORMAT_LIST_BUF])
{
	size_t used = 0;

	for (size_t i = 1; i < wl_n_formats && used < WL_FORMAT_LIST_BUF; i++)
		used += (size_t)snprintf(buf + used, WL_FORMAT_LIST_BUF - used, "%s%s",
					 i > 1 ? " " : "", wl_formats[i].ending);
	return buf;
}
