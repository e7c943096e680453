/* SPDX-License-Identifier: MIT */
#include "known/kernels/kernels.h"

#include <string.h>

#include "base/attr.h"
#include "known/kernels/names.h"
#include "known/kernels/words.h"

/* Longer names are cut: 16 KiB are four times the longest that was seen. */
enum { MAX_BASE = 1024, MAX_WHOLE = 16384 };

enum { NAMED = WL_N_COLLECTIVES }; /* the kind of collective is in the words of the name */

struct line {
	uint8_t category;
	uint8_t collective;
	bool fused;
	const char *wrapper;         /* NULL: the patterns are for the name without arguments */
	const char *const *patterns; /* ends with NULL */
};

#define ALONE         false
#define WITH_COMPUTE  true
#define WL_NAMED      NAMED
#define PATTERNS(...) ((const char *const[]){ __VA_ARGS__, NULL })

static const struct line lines[] = {
#define WL_KERNEL(CATEGORY, library, since, ...)                                                   \
	{ WL_CATEGORY_##CATEGORY, NAMED, false, NULL, PATTERNS(__VA_ARGS__) },
#define WL_KERNEL_COMM(COLLECTIVE, FUSED, library, since, ...)                                     \
	{ WL_CATEGORY_COMMUNICATION, WL_##COLLECTIVE, FUSED, NULL, PATTERNS(__VA_ARGS__) },
#define WL_KERNEL_ALSO_COMM(CATEGORY, library, since, ...)                                         \
	{ WL_CATEGORY_##CATEGORY, NAMED, true, NULL, PATTERNS(__VA_ARGS__) },
#define WL_KERNEL_INSIDE(CATEGORY, library, since, wrapper, ...)                                   \
	{ WL_CATEGORY_##CATEGORY, NAMED, false, wrapper, PATTERNS(__VA_ARGS__) },
#include "known/kernels/kernels.def"
#undef WL_KERNEL
#undef WL_KERNEL_COMM
#undef WL_KERNEL_ALSO_COMM
#undef WL_KERNEL_INSIDE
};

#undef ALONE
#undef WITH_COMPUTE
#undef WL_NAMED

const char *wl_category_word(enum wl_category category)
{
	static const char *const words[] = {
#define WL_CATEGORY(ID, word, COLOUR, HATCH, holds) [WL_CATEGORY_##ID] = (word),
#include "known/kernels/kernels.def"
#undef WL_CATEGORY
	};

	return words[category];
}

const char *wl_category_holds(enum wl_category category)
{
	static const char *const texts[] = {
#define WL_CATEGORY(ID, word, COLOUR, HATCH, holds) [WL_CATEGORY_##ID] = (holds),
#include "known/kernels/kernels.def"
#undef WL_CATEGORY
	};

	return texts[category];
}

/* A name in both forms; the whole one is made when a wrapper asks for it. */
struct name {
	const char *demangled;
	struct wl_words base, whole;
	char base_text[MAX_BASE], whole_text[MAX_WHOLE];
};

static bool any_matches(const struct wl_words *words, const char *const *patterns)
{
	for (; *patterns; patterns++) {
		if (wl_words_match(words, *patterns))
			return true;
	}
	return false;
}

static bool fits(const struct line *line, struct name *name)
{
	if (!line->wrapper)
		return any_matches(&name->base, line->patterns);
	if (!wl_words_match(&name->base, line->wrapper))
		return false;
	if (!name->whole.text)
		wl_words_of(name->demangled, strlen(name->demangled), name->whole_text,
			    sizeof(name->whole_text), &name->whole);
	return any_matches(&name->whole, line->patterns);
}

struct wl_kernel_facts wl_kernel_named(const char *demangled)
{
	struct wl_kernel_facts facts = { .category = WL_CATEGORY_OTHER, .collective = NAMED };
	char base[MAX_BASE];
	struct name name;

	name.demangled = demangled;
	name.whole.text = NULL;
	wl_words_of(base, wl_name_base(demangled, base, sizeof(base)), name.base_text,
		    sizeof(name.base_text), &name.base);
	for (size_t i = 0; i < WL_COUNT(lines); i++) {
		if (!fits(&lines[i], &name))
			continue;
		facts = (struct wl_kernel_facts){ lines[i].category, lines[i].collective,
						  lines[i].fused };
		break;
	}
	if (facts.collective == NAMED)
		facts.collective = (uint8_t)wl_collective_named(demangled);
	return facts;
}
