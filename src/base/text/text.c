/* SPDX-License-Identifier: MIT */
#include "base/text/text.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { FIRST = 256 };

static bool make_room(struct wl_text *t, size_t n)
{
	size_t max = t->max ? t->max : WL_TEXT_MAX, cap = t->cap ? t->cap : FIRST;
	char *bytes;

	if (n > max - t->n)
		return false;
	if (t->n + n < t->cap)
		return true;
	while (cap <= t->n + n)
		cap *= 2;
	bytes = realloc(t->bytes, cap);
	if (!bytes)
		return false;
	t->bytes = bytes;
	t->cap = cap;
	return true;
}

void wl_text_put(struct wl_text *t, const char *bytes, size_t n)
{
	t->failed = t->failed || !make_room(t, n);
	if (t->failed)
		return;
	memcpy(t->bytes + t->n, bytes, n);
	t->n += n;
	t->bytes[t->n] = '\0';
}

void wl_text_puts(struct wl_text *t, const char *s)
{
	wl_text_put(t, s, strlen(s));
}

void wl_text_printf(struct wl_text *t, const char *format, ...)
{
	char buf[1024];
	va_list args;
	int n;

	va_start(args, format);
	n = vsnprintf(buf, sizeof(buf), format, args);
	va_end(args);
	if (n < 0 || n >= (int)sizeof(buf))
		t->failed = true;
	else
		wl_text_put(t, buf, (size_t)n);
}

void wl_text_clear(struct wl_text *t)
{
	t->n = 0;
	t->failed = false;
	if (t->bytes)
		t->bytes[0] = '\0';
}

void wl_text_release(struct wl_text *t)
{
	free(t->bytes);
	*t = (struct wl_text){ .max = t->max };
}

const char *wl_text_get(const struct wl_text *t)
{
	return t->bytes ? t->bytes : "";
}
