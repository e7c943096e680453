/* SPDX-License-Identifier: MIT */
#include "base/clean.h"

#include <string.h>

#include "base/log_command.h"
#include "base/put.h"
#include "base/utf8.h"

bool wl_clean_is_acting(uint32_t cp)
{
	return wl_utf8_is_control(cp) || wl_utf8_is_bidi(cp) || wl_utf8_is_separator(cp);
}

/* Where a command to a log begins that only a line's first word can be; NULL if there is none. */
static const char *first_command(const char *text)
{
	const char *at = text + strspn(text, " ");

	return wl_log_command_begins(at) ? at : NULL;
}

/* Write the next character of *text as it may be shown; returns its bytes. */
static size_t next_clean(const char **text, const char *command, char buf[WL_UTF8_MAX])
{
	bool is_command = *text == command || wl_log_command_is_marked(*text);
	uint32_t cp = wl_utf8_next(text);

	return wl_utf8_encode(is_command || wl_clean_is_acting(cp) ? '?' : cp, buf);
}

void wl_put_clean_part(FILE *out, const char *text, size_t n)
{
	const char *command = first_command(text), *end = text + n;

	while (text < end && *text) {
		char buf[WL_UTF8_MAX];
		size_t size = next_clean(&text, command, buf);

		wl_put_bytes(out, buf, size);
	}
}

void wl_put_clean(FILE *out, const char *text)
{
	wl_put_clean_part(out, text, strlen(text));
}

void wl_put_clean_lines(FILE *out, const char *text)
{
	while (*text) {
		size_t n = strcspn(text, "\n");

		wl_put_clean_part(out, text, n);
		if (text[n])
			wl_put_byte(out, '\n');
		text += n + (text[n] == '\n');
	}
}

const char *wl_clean_line(const char *text, struct wl_arena *arena)
{
	const char *command = first_command(text), *whole = text;
	char *copy = WL_NEW(arena, char, 3 * strlen(text) + WL_UTF8_MAX), *to = copy;

	if (!copy)
		return NULL;
	while (*text)
		to += next_clean(&text, command, to);
	*to = '\0';
	return strcmp(copy, whole) == 0 ? whole : copy;
}
