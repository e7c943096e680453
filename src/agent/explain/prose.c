/* SPDX-License-Identifier: MIT */
#include "agent/explain/prose.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

enum { FIRST = 1024 };

/* Make room for n more bytes and a NUL. The old text stays in the arena: at most as much again. */
static bool grow(struct wl_prose *p, size_t n)
{
	size_t cap = p->cap ? p->cap : FIRST;
	char *text;

	if (p->failed)
		return false;
	if (p->n + n < p->cap)
		return true;
	while (cap <= p->n + n)
		cap *= 2;
	text = WL_NEW(p->arena, char, cap);
	p->failed = text == NULL;
	if (!text)
		return false;
	if (p->n)
		memcpy(text, p->text, p->n);
	p->text = text;
	p->cap = cap;
	return true;
}

void wl_prose_put_n(struct wl_prose *p, const char *s, size_t n)
{
	if (!grow(p, n))
		return;
	memcpy(p->text + p->n, s, n);
	p->n += n;
	p->text[p->n] = '\0';
}

void wl_prose_put(struct wl_prose *p, const char *s)
{
	wl_prose_put_n(p, s, strlen(s));
}

void wl_prose_say(struct wl_prose *p, const char *fmt, ...)
{
	va_list ap;
	int n;

	va_start(ap, fmt);
	n = vsnprintf(NULL, 0, fmt, ap);
	va_end(ap);
	if (n < 0 || !grow(p, (size_t)n))
		return;
	va_start(ap, fmt);
	(void)vsnprintf(p->text + p->n, (size_t)n + 1, fmt, ap);
	va_end(ap);
	p->n += (size_t)n;
}

/* Length in bytes of "](address)" at s, or 0. */
static size_t address_length(const char *s, size_t n)
{
	const char *end;

	if (n < 3 || s[0] != ']' || s[1] != '(')
		return 0;
	end = memchr(s, ')', n);
	return end ? (size_t)(end - s) + 1 : 0;
}

/* Whether a link begins here: "[text](address)" within n bytes. */
static bool begins_link(const char *s, size_t n)
{
	const char *close = s[0] == '[' ? memchr(s, ']', n) : NULL;

	return close && address_length(close, n - (size_t)(close - s)) > 0;
}

/* Bytes of markup at s to leave out; 0 if there is none. */
static size_t markup_length(const char *s, size_t n)
{
	if (n >= 2 && s[0] == '*' && s[1] == '*')
		return 2;
	if (n >= 2 && s[0] == '\\' && s[1] == '|')
		return 1;
	if (begins_link(s, n))
		return 1;
	return address_length(s, n);
}

void wl_prose_put_plain(struct wl_prose *p, const char *s, size_t n)
{
	for (size_t i = 0; i < n;) {
		size_t skip = markup_length(s + i, n - i);

		if (skip) {
			i += skip;
			continue;
		}
		wl_prose_put_n(p, s[i] == '\n' ? " " : s + i, 1);
		i++;
	}
}

const char *wl_prose_end(struct wl_prose *p, struct wl_err *reterr)
{
	if (p->failed) {
		(void)wl_fail(reterr, WL_E_NOMEM, "no memory for the page");
		return NULL;
	}
	return p->text ? p->text : "";
}
