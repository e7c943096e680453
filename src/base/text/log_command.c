/* SPDX-License-Identifier: MIT */
#include "base/text/log_command.h"

#include <string.h>

#include "base/text/utf8.h"

/* What GitHub's runner trims: the white space of Unicode, and what older .NET took for some. */
static bool is_blank(uint32_t cp)
{
	return cp == ' ' || (cp >= '\t' && cp <= '\r') || cp == 0x85 || cp == 0xA0 ||
	       cp == 0x1680 || (cp >= 0x2000 && cp <= 0x200A) || cp == 0x2028 || cp == 0x2029 ||
	       cp == 0x202F || cp == 0x205F || cp == 0x3000 || cp == 0x200B || cp == 0xFEFF;
}

static const char *skip_blanks(const char *s)
{
	const char *next = s;

	while (is_blank(wl_utf8_next(&next)))
		s = next;
	return s;
}

const char *wl_log_command_first(const char *s)
{
	s = skip_blanks(s);
	if (strncmp(s, "::", 2) != 0)
		return NULL;
	/* The runner ignores case. */
	return (s[2] >= 'a' && s[2] <= 'z') || (s[2] >= 'A' && s[2] <= 'Z') ? s : NULL;
}

/* A dollar as a word of its own. */
static bool is_prompt(const char *s, size_t n)
{
	return n > 0 && s[0] == '$' && (n == 1 || s[1] <= ' ' || s[1] > '~');
}

const char *wl_log_command_forged(const char *s, size_t n)
{
	const char *first = skip_blanks(s);

	if (first >= s + n)
		return NULL;
	return is_prompt(first, n - (size_t)(first - s)) ? first : wl_log_command_first(first);
}

bool wl_log_command_is_marked(const char *s)
{
	return strncmp(s, "##[", 3) == 0 || strncmp(s, "##vso[", 6) == 0;
}
