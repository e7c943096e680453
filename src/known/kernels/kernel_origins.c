/* SPDX-License-Identifier: MIT */
#include "known/kernels/kernel_origins.h"

#include <string.h>

#include "base/attr.h"
#include "known/kernels/names.h"
#include "known/kernels/words.h"

/* As in kernels.c: longer names are cut. */
enum { MAX_BASE = 1024, MAX_WHOLE = 16384 };

struct line {
	struct wl_kernel_origin origin;
	const char *wrapper;         /* NULL: the patterns are for the name without arguments */
	const char *const *patterns; /* ends with NULL */
};

#define PATTERNS(...) ((const char *const[]){ __VA_ARGS__, NULL })

static const struct line lines[] = {
#define WL_ORIGIN(FAMILY, SURENESS, library, what, source, ...)                                    \
	{ { WL_FAMILY_##FAMILY, WL_SURE_##SURENESS, library, what, source },                       \
	  NULL,                                                                                    \
	  PATTERNS(__VA_ARGS__) },
#define WL_ORIGIN_INSIDE(FAMILY, SURENESS, library, what, source, wrapper, ...)                    \
	{ { WL_FAMILY_##FAMILY, WL_SURE_##SURENESS, library, what, source },                       \
	  wrapper,                                                                                 \
	  PATTERNS(__VA_ARGS__) },
#include "known/kernels/kernel_origins.def"
#undef WL_ORIGIN
#undef WL_ORIGIN_INSIDE
};

static bool any_matches(const struct wl_words *words, const char *const *patterns)
{
	for (; *patterns; patterns++) {
		if (wl_words_match(words, *patterns))
			return true;
	}
	return false;
}

static bool fits(const struct line *line, const struct wl_words *base, const struct wl_words *whole)
{
	if (!line->wrapper)
		return any_matches(base, line->patterns);
	return wl_words_match(base, line->wrapper) && any_matches(whole, line->patterns);
}

const struct wl_kernel_origin *wl_kernel_origin_of(const char *demangled)
{
	char text[MAX_BASE], base_text[MAX_BASE], whole_text[MAX_WHOLE];
	struct wl_words base, whole;

	wl_words_of(text, wl_name_base(demangled, text, sizeof(text)), base_text, sizeof(base_text),
		    &base);
	wl_words_of(demangled, strlen(demangled), whole_text, sizeof(whole_text), &whole);
	for (size_t i = 0; i < WL_COUNT(lines); i++) {
		if (fits(&lines[i], &base, &whole))
			return &lines[i].origin;
	}
	return NULL;
}
