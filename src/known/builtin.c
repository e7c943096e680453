/* SPDX-License-Identifier: MIT */
#include "known/builtin.h"

#include <string.h>

const char *wl_builtin_find(const char *folder, const char *name, size_t *ret_size)
{
	for (const struct wl_builtin *b = wl_builtins; b->folder; b++) {
		if (strcmp(b->folder, folder) == 0 && strcmp(b->name, name) == 0) {
			*ret_size = b->size;
			return b->text;
		}
	}
	return NULL;
}

const char *wl_builtin_name(const char *folder, size_t i)
{
	for (const struct wl_builtin *b = wl_builtins; b->folder; b++) {
		if (strcmp(b->folder, folder) == 0 && i-- == 0)
			return b->name;
	}
	return NULL;
}
