/* SPDX-License-Identifier: MIT */
#include "known/kernels/wrappers.h"

#include <ctype.h>
#include <fnmatch.h>
#include <string.h>

#include "known/kernels/names.h"

#define COUNT(a) (sizeof(a) / sizeof((a)[0]))

static bool is_one_of(const char *name, const char *const *pattern, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		if (fnmatch(pattern[i], name, 0) == 0)
			return true;
	}
	return false;
}

bool wl_name_is_wrapper(const char *base)
{
	static const char *const patterns[] = {
#define WL_WRAPPER(pattern)    pattern,
#define WL_COMBINATOR(pattern) /* none */
#include "known/kernels/wrappers.def"
#undef WL_WRAPPER
#undef WL_COMBINATOR
	};

	return is_one_of(base, patterns, COUNT(patterns));
}

static bool passes_on(const char *base)
{
	static const char *const patterns[] = {
#define WL_WRAPPER(pattern)    /* none */
#define WL_COMBINATOR(pattern) pattern,
#include "known/kernels/wrappers.def"
#undef WL_WRAPPER
#undef WL_COMBINATOR
	};

	return is_one_of(base, patterns, COUNT(patterns));
}

/* "<unnamed>" is a namespace and opens no list. */
static const char unnamed[] = "<unnamed>";

/* Where the template arguments begin, behind the first '<'; NULL where there are none. */
static const char *arguments_of(const char *p, const char *end)
{
	for (; p < end; p++) {
		if (strncmp(p, unnamed, sizeof(unnamed) - 1) == 0)
			p += sizeof(unnamed) - 2;
		else if (*p == '<')
			return p + 1;
	}
	return NULL;
}

/* The end of the argument that begins at p: a comma or bracket that is not inside another. */
static const char *end_of_argument(const char *p, const char *end)
{
	int depth = 0;

	for (; p < end; p++) {
		if (*p == '<' || *p == '(' || *p == '[' || *p == '{')
			depth++;
		else if (depth == 0 && (*p == ',' || *p == '>'))
			break;
		else if (*p == '>' || *p == ')' || *p == ']' || *p == '}')
			depth--;
	}
	return p;
}

/* A number, or a type that says nothing: "(int)4", "float", "c10::Half", "std::array<...>". */
static bool is_plain(const char *arg, size_t n)
{
	static const char *const prefixes[] = { "c10::", "std::", "T" };

	if (n == 0 || arg[0] == '(' || arg[0] == '-' || isdigit((unsigned char)arg[0]))
		return true;
	for (size_t i = 0; i < COUNT(prefixes); i++) {
		size_t length = strlen(prefixes[i]);

		if (strncmp(arg, prefixes[i], length) == 0 &&
		    (prefixes[i][0] != 'T' || isdigit((unsigned char)arg[1])))
			return true;
	}
	return !memmem(arg, n, "::", 2);
}

size_t wl_name_functor(const char *name, char *buf, size_t size)
{
	const char *end = name + strlen(name), *arg = arguments_of(name, end);
	char one[1024];

	buf[0] = '\0';
	while (arg && arg < end) {
		const char *behind = end_of_argument(arg, end);
		size_t n;

		while (arg < behind && *arg == ' ')
			arg++;
		n = (size_t)(behind - arg);
		if (!is_plain(arg, n)) {
			n = n < sizeof(one) ? n : sizeof(one) - 1;
			memcpy(one, arg, n);
			one[n] = '\0';
			n = wl_name_base(one, buf, size);
			if (!passes_on(buf))
				return n;
			buf[0] = '\0';
			end = behind;
			arg = arguments_of(arg, end);
			continue;
		}
		if (behind == end || *behind == '>')
			break;
		arg = behind + 1;
	}
	return 0;
}
