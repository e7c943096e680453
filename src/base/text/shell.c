/* SPDX-License-Identifier: MIT */
#include "base/text/shell.h"

#include <stdio.h>
#include <string.h>

#include "base/text/clean.h"
#include "base/text/log_command.h"
#include "base/text/utf8.h"

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

/* What must not reach a terminal or a log as it is, or is no text. */
static bool is_hostile(const char *s)
{
	while (*s) {
		uint32_t cp;

		if (wl_log_command_is_marked(s))
			return true;
		s += wl_utf8_decode(s, WL_UTF8_MAX, &cp);
		if (cp == WL_UTF8_INVALID || wl_clean_is_acting(cp))
			return true;
	}
	return false;
}

static char *put_octal(char *to, unsigned char c)
{
	*to++ = '\\';
	*to++ = (char)('0' + (c >> 6));
	*to++ = (char)('0' + (c >> 3 & 7));
	*to++ = (char)('0' + (c & 7));
	return to;
}

/* In dollar-single-quotes: all but visible ASCII, quotes and what a log would obey as \ooo. */
static const char *quote_bytes(const char *s, struct wl_arena *arena)
{
	char *out = WL_NEW(arena, char, 4 * strlen(s) + 4), *p = out;

	if (!out)
		return NULL;
	p = stpcpy(p, "$'");
	for (; *s; s++) {
		if (*s < ' ' || *s > '~' || strchr("'\\", *s) || wl_log_command_is_marked(s))
			p = put_octal(p, (unsigned char)*s);
		else
			*p++ = *s;
	}
	(void)stpcpy(p, "'");
	return out;
}

const char *wl_shell_word(const char *text, struct wl_arena *arena)
{
	if (is_hostile(text))
		return quote_bytes(text, arena);
	return *text && text[strspn(text, plain)] == '\0' ? text : quote(text, arena);
}

const char *wl_shell_words(const char *const *word, size_t n, struct wl_arena *arena)
{
	const char **safe = WL_NEW(arena, const char *, n + 1);
	size_t size = 1, used = 0;
	char *line;

	for (size_t i = 0; safe && i < n; i++) {
		safe[i] = wl_shell_word(word[i], arena);
		if (!safe[i])
			return NULL;
		size += strlen(safe[i]) + 1;
	}
	line = safe ? WL_NEW(arena, char, size) : NULL;
	for (size_t i = 0; line && i < n; i++)
		used += (size_t)snprintf(line + used, size - used, "%s%s", i ? " " : "", safe[i]);
	return line;
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

const char *wl_shell_plain(const char *word, size_t n, struct wl_arena *arena)
{
	char *out = WL_NEW(arena, char, n + 1), *p = out;
	bool is_quoted = false;

	for (size_t i = 0; out && i < n; i++) {
		if (word[i] == '\'')
			is_quoted = !is_quoted;
		else if (word[i] == '\\' && !is_quoted && i + 1 < n)
			*p++ = word[++i];
		else
			*p++ = word[i];
	}
	return out;
}
