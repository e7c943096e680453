/* SPDX-License-Identifier: MIT */
#include "base/shell.h"

#include <string.h>

/* Characters that mean themselves, wherever in a word they are. */
static const char plain[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789"
			    "_./:@%+=,-";

/* In single quotes, out of which each of its own is taken. */
static const char *quote(const char *s, struct wl_arena *arena)
{
	char *out = WL_NEW(arena, char, 4 * strlen(s) + 3), *p = out;

	if (!out)
		return NULL;
	*p++ = '\'';
	for (; *s; s++) {
		if (*s == '\'')
			p = stpcpy(p, "'\\''");
		else
			*p++ = *s;
	}
	*p = '\'';
	return out;
}

const char *wl_shell_word(const char *text, struct wl_arena *arena)
{
	return *text && text[strspn(text, plain)] == '\0' ? text : quote(text, arena);
}

size_t wl_shell_word_length(const char *line)
{
	bool is_quoted = false;
	size_t n = 0;

	while (line[n] && (is_quoted || line[n] != ' ')) {
		if (line[n] == '\'')
			is_quoted = !is_quoted;
		else if (line[n] == '\\' && !is_quoted && line[n + 1])
			n++;
		n++;
	}
	return n;
}
