/* SPDX-License-Identifier: MIT */
#include "known/kernels/names.h"

#include <ctype.h>
#include <fnmatch.h>
#include <string.h>

#include "base/attr.h"

enum { MIN_HASH = 8, MAX_BASE = 1024 };

/* Brackets that belong to a name and do not open a list. */
static size_t bracket_in_name(const char *s)
{
	static const char *const whole[] = { "(anonymous namespace)",
					     "<unnamed>",
					     "<lambda",
					     "operator()",
					     "operator<<",
					     "operator<=",
					     "operator<",
					     "operator>>",
					     "operator>=",
					     "operator>" };

	/* Names may have 100 kB: nearly all places end here. */
	if (*s != '(' && *s != '<' && (*s != 'o' || strncmp(s, "operator", 8) != 0))
		return 0;
	for (size_t i = 0; i < WL_COUNT(whole); i++) {
		if (strncmp(s, whole[i], strlen(whole[i])) == 0)
			return strlen(whole[i]);
	}
	return 0;
}

/* Length without a trailing _ and at least eight hexadecimal digits, one of them 0-9. */
static size_t without_hash(const char *s, size_t n)
{
	size_t i = n;
	bool digit = false;

	while (i > 0 && isxdigit((unsigned char)s[i - 1])) {
		digit = digit || isdigit((unsigned char)s[i - 1]);
		i--;
	}
	return i > 1 && s[i - 1] == '_' && n - i >= MIN_HASH && digit ? i - 1 : n;
}

size_t wl_name_base(const char *name, char *buf, size_t size)
{
	size_t n = 0, depth = 0;

	for (const char *s = name; *s;) {
		size_t keep = depth == 0 ? bracket_in_name(s) : 0;

		if (keep == 0 && *s == '(' && depth == 0)
			break; /* the parameters: the name is complete */
		if (keep == 0 && *s == ' ' && depth == 0)
			n = 0; /* what came before was the return type */
		else if (keep == 0 && *s == '<')
			depth++;
		else if (keep == 0 && *s == '>')
			depth -= depth > 0;
		else if (depth == 0) {
			keep = keep ? keep : 1;
			for (size_t i = 0; i < keep && n + 1 < size; i++)
				buf[n++] = s[i];
		}
		s += keep ? keep : 1;
	}
	if (n == 0) { /* not of this shape: leave it alone */
		n = strnlen(name, size - 1);
		memcpy(buf, name, n);
	}
	n = without_hash(buf, n);
	buf[n] = '\0';
	return n;
}

bool wl_name_is_known(const char *demangled)
{
	static const char *const patterns[] = {
#define WL_KNOWN(pattern) pattern,
#include "known/known.def"
#undef WL_KNOWN
	};
	char base[MAX_BASE];

	(void)wl_name_base(demangled, base, sizeof(base));
	for (size_t i = 0; i < WL_COUNT(patterns); i++) {
		if (fnmatch(patterns[i], base, 0) == 0)
			return true;
	}
	return false;
}
