/* SPDX-License-Identifier: MIT */
#include "known/calls/calls.h"

#include <ctype.h>
#include <stddef.h>
#include <string.h>

#include "base/attr.h"

static const struct {
	const char *pattern;
	enum wl_call_class class;
} table[] = {
#define WL_CALL(class, pattern, reason) { pattern, WL_CALLS_##class },
#include "known/calls/calls.def"
#undef WL_CALL
};

/* The part of a function's name that patterns are compared with. */
struct stem {
	const char *text;
	size_t n;
};

/* Whether the text ends with a version such as _v3020; its length without it. */
static bool drop_version(const char *s, size_t *n)
{
	size_t i = *n;

	while (i > 0 && isdigit((unsigned char)s[i - 1]))
		i--;
	if (i == *n || i < 2 || s[i - 1] != 'v' || s[i - 2] != '_')
		return false;
	*n = i - 2;
	return true;
}

static bool ends_with(struct stem s, const char *end)
{
	size_t n = strlen(end);

	return s.n >= n && memcmp(s.text + s.n - n, end, n) == 0;
}

static struct stem stem_of(const char *function)
{
	struct stem s = { function, 0 };

	if (strncmp(function, "cu", 2) != 0)
		return s;
	s.text += strncmp(function, "cuda", 4) == 0 ? 4 : 2;
	s.n = strlen(s.text);
	for (;;) {
		if (ends_with(s, "_ptsz") || ends_with(s, "_ptds"))
			s.n -= strlen("_ptsz");
		else if (!drop_version(s.text, &s.n))
			return s;
	}
}

/* A word ends before a capital, a digit or the end: Malloc3D, MallocHost, Malloc. */
static bool matches(struct stem s, const char *pattern)
{
	size_t n = strlen(pattern);
	bool more = pattern[n - 1] == '*';

	n -= more;
	if (s.n < n || memcmp(s.text, pattern, n) != 0)
		return false;
	return s.n == n || (more && !islower((unsigned char)s.text[n]));
}

enum wl_call_class wl_call_class_of(const char *function)
{
	struct stem s = stem_of(function);

	for (size_t i = 0; i < WL_COUNT(table); i++) {
		if (matches(s, table[i].pattern))
			return table[i].class;
	}
	return WL_CALLS_OTHER;
}

bool wl_call_synchronises(const char *function)
{
	return wl_call_class_of(function) == WL_CALLS_SYNC;
}

bool wl_call_copies(const char *function)
{
	return wl_call_class_of(function) == WL_CALLS_COPY;
}

bool wl_call_copies_blocking(const char *function)
{
	return wl_call_copies(function) && !ends_with(stem_of(function), "Async");
}

bool wl_call_launches_graph(const char *function)
{
	return wl_call_class_of(function) == WL_CALLS_GRAPH_LAUNCH;
}

bool wl_call_launches(const char *function)
{
	enum wl_call_class class = wl_call_class_of(function);

	return class == WL_CALLS_LAUNCH || class == WL_CALLS_GRAPH_LAUNCH;
}
