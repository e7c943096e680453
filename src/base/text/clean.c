/* SPDX-License-Identifier: MIT */
#include "base/text/clean.h"

#include <string.h>

#include "base/text/log_command.h"
#include "base/text/put.h"
#include "base/text/utf8.h"

bool wl_clean_is_acting(uint32_t cp)
{
	return wl_utf8_is_control(cp) || wl_utf8_is_bidi(cp) || wl_utf8_is_separator(cp);
}

/* Write the next character of *text as it may be shown; returns its bytes. */
static size_t next_clean(const char **text, const char *forged, char buf[WL_UTF8_MAX])
{
	bool is_command = *text == forged || wl_log_command_is_marked(*text);
	uint32_t cp = wl_utf8_next(text);

	return wl_utf8_encode(is_command || wl_clean_is_acting(cp) ? WL_UTF8_REPLACEMENT : cp, buf);
}

/* At most n bytes, which lose the first of forged. */
static void put_part(FILE *out, const char *text, size_t n, const char *forged)
{
	const char *end = text + n;

	while (text < end && *text) {
		char buf[WL_UTF8_MAX];
		size_t size = next_clean(&text, forged, buf);

		wl_put_bytes(out, buf, size);
	}
}

void wl_put_clean_part(FILE *out, const char *text, size_t n)
{
	put_part(out, text, n, wl_log_command_first(text));
}

void wl_put_clean_first(FILE *out, const char *text, size_t n)
{
	put_part(out, text, n, wl_log_command_forged(text, n));
}

void wl_put_clean(FILE *out, const char *text)
{
	wl_put_clean_part(out, text, strlen(text));
}

typedef void put_line(FILE *out, const char *text, size_t n);

static void put_lines(FILE *out, const char *text, put_line *put)
{
	while (*text) {
		size_t n = strcspn(text, "\n");

		put(out, text, n);
		if (text[n])
			wl_put_byte(out, '\n');
		text += n + (text[n] == '\n');
	}
}

void wl_put_clean_lines(FILE *out, const char *text)
{
	put_lines(out, text, wl_put_clean_first);
}

void wl_put_clean_plan(FILE *out, const char *text)
{
	put_lines(out, text, wl_put_clean_part);
}

void wl_clean_copy(char *out, size_t cap, const char *text, size_t n)
{
	const char *end = text + n, *forged = wl_log_command_first(text);
	size_t used = 0;

	while (text < end && *text) {
		char buf[WL_UTF8_MAX];
		size_t size = next_clean(&text, forged, buf);

		if (used + size >= cap)
			break;
		memcpy(out + used, buf, size);
		used += size;
	}
	out[used] = '\0';
}

const char *wl_clean_line(const char *text, struct wl_arena *arena)
{
	const char *forged = wl_log_command_forged(text, strlen(text)), *whole = text;
	char *copy = WL_NEW(arena, char, 3 * strlen(text) + WL_UTF8_MAX), *to = copy;

	if (!copy)
		return NULL;
	while (*text)
		to += next_clean(&text, forged, to);
	*to = '\0';
	return strcmp(copy, whole) == 0 ? whole : copy;
}
