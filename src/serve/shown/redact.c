/* SPDX-License-Identifier: MIT */
#include "serve/shown/redact.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/file/checksum.h"
#include "derive/nvtx/range_names.h"
#include "known/kernels/names.h"

enum { MAX_SHOWN = 256, SUM_DIGITS = 8 };

const char *wl_redact_word(const char *word, const char *text, struct wl_arena *arena)
{
	size_t size = strlen(word) + SUM_DIGITS + 2;
	char *r = WL_NEW(arena, char, size);

	if (r)
		(void)snprintf(r, size, "%s~%08" PRIx32, word,
			       (uint32_t)(wl_checksum(text, strlen(text)) >> 32));
	return r;
}

const char *wl_redact_kernel(const char *demangled, struct wl_arena *arena)
{
	char base[MAX_SHOWN];

	if (!wl_name_is_known(demangled))
		return wl_redact_word("kernel", demangled, arena);
	(void)wl_name_base(demangled, base, sizeof(base));
	return strcmp(base, demangled) == 0 ? wl_arena_strdup(arena, base)
					    : wl_redact_word(base, demangled, arena);
}

const char *wl_redact_range(const char *name, struct wl_arena *arena)
{
	char *label = WL_NEW(arena, char, strlen(name) + 1);

	if (!label)
		return NULL;
	wl_label_write(name, label);
	return wl_redact_word("range", label, arena);
}

/* Write a part of a path, hashed; returns the end of what is written, NULL without memory. */
static char *put_part(char *to, const char *part, size_t n, struct wl_arena *arena)
{
	char *name = WL_NEW(arena, char, n + 1);
	const char *word = NULL;

	if (name) {
		memcpy(name, part, n);
		word = wl_redact_range(name, arena);
	}
	return word ? stpcpy(to, word) : NULL;
}

const char *wl_redact_path(const char *path, struct wl_arena *arena)
{
	static const char glue[] = " > ";
	size_t n = 1;
	char *text, *at;

	for (const char *p = path; (p = strstr(p, glue)) != NULL; p += strlen(glue))
		n++;
	text = at = WL_NEW(arena, char, n *(strlen("range~") + SUM_DIGITS + strlen(glue)) + 1);
	while (at) {
		const char *end = strstr(path, glue);

		at = put_part(at, path, end ? (size_t)(end - path) : strlen(path), arena);
		if (!end)
			break;
		if (at)
			at = stpcpy(at, glue);
		path = end + strlen(glue);
	}
	return at ? text : NULL;
}
