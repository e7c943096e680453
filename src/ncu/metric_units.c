/* SPDX-License-Identifier: MIT */
#include "ncu/metric_units.h"

#include <stdbool.h>
#include <string.h>

#include "base/attr.h"

/* ncu up to 2024 writes whole words, later versions short forms. */
static const struct {
	const char *word;
	double ns;
} times[] = {
	{ "nsecond", 1 }, { "usecond", 1e3 }, { "msecond", 1e6 }, { "second", 1e9 },
	{ "ns", 1 },      { "us", 1e3 },      { "ms", 1e6 },      { "s", 1e9 },
};

/* Units that ncu writes with a prefix. */
static const char *const scaled[] = { "byte", "hz", "Hz" };

static const struct {
	char letter;
	double factor;
} prefixes[] = { { 'K', 1e3 }, { 'M', 1e6 }, { 'G', 1e9 }, { 'T', 1e12 }, { 'P', 1e15 } };

static bool is_word(const char *text, size_t n, const char *word)
{
	return strlen(word) == n && memcmp(text, word, n) == 0;
}

/* The time in ns; 0 if the text is not a time. */
static double time_of(const char *text, size_t n)
{
	for (size_t i = 0; i < WL_COUNT(times); i++) {
		if (is_word(text, n, times[i].word))
			return times[i].ns;
	}
	return 0;
}

static bool is_scaled(const char *text, size_t n)
{
	for (size_t i = 0; i < WL_COUNT(scaled); i++) {
		if (is_word(text, n, scaled[i]))
			return true;
	}
	return false;
}

static double prefix_of(const char *text, size_t n)
{
	for (size_t i = 0; n > 1 && i < WL_COUNT(prefixes); i++) {
		if (text[0] == prefixes[i].letter && is_scaled(text + 1, n - 1))
			return prefixes[i].factor;
	}
	return 1;
}

double wl_metric_unit_scale(const char *unit, size_t n)
{
	const char *slash = n ? memchr(unit, '/', n) : NULL;
	size_t n_above = slash ? (size_t)(slash - unit) : n;
	double ns = time_of(unit, n_above), scale = ns > 0 ? ns : prefix_of(unit, n_above);

	if (!slash)
		return scale;
	ns = time_of(slash + 1, n - n_above - 1);
	return ns > 0 ? scale * (1e9 / ns) : scale / prefix_of(slash + 1, n - n_above - 1);
}
