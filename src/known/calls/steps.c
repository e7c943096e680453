/* SPDX-License-Identifier: MIT */
#include "known/calls/steps.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/attr.h"

static bool is_small(char c)
{
	return c >= 'a' && c <= 'z';
}

static bool is_capital(char c)
{
	return c >= 'A' && c <= 'Z';
}

/* The next word at or after name: where it begins, and its length; 0 past the last. */
static size_t next_word(const char **name)
{
	const char *p = *name;
	size_t n = 0;

	while (*p && !is_small(*p) && !is_capital(*p))
		p++;
	*name = p;
	while (is_small(p[n]) || is_capital(p[n])) {
		n++;
		if (is_small(p[n - 1]) && is_capital(p[n]))
			break;
	}
	return n;
}

static bool has_word(const char *name, const char *const *words, size_t n_words)
{
	size_t n;

	for (; (n = next_word(&name)) > 0; name += n) {
		for (size_t i = 0; i < n_words; i++) {
			if (strlen(words[i]) == n && strncasecmp(words[i], name, n) == 0)
				return true;
		}
	}
	return false;
}

bool wl_name_is_step(const char *label)
{
	static const char *const words[] = { "iter",  "iteration", "step",   "batch",
					     "token", "req",       "request" };

	return has_word(label, words, WL_COUNT(words));
}

bool wl_name_is_layer(const char *label)
{
	static const char *const words[] = { "layer", "layers", "block", "blocks" };

	return has_word(label, words, WL_COUNT(words)) && !wl_name_is_step(label);
}

/* The number that follows a text, or -1. */
static long number_after(const char *name, const char *text)
{
	const char *at = strstr(name, text);

	return at && isdigit((unsigned char)at[strlen(text)]) ? strtol(at + strlen(text), NULL, 10)
							      : -1;
}

/* The number in front of a text, or -1. */
static long number_before(const char *name, const char *text)
{
	const char *at = strstr(name, text), *p = at;

	while (p && p > name && isdigit((unsigned char)p[-1]))
		p--;
	return p < at ? strtol(p, NULL, 10) : -1;
}

static unsigned does(long prefill, long decode)
{
	return (prefill > 0 ? WL_DOES_PREFILL : 0U) | (decode > 0 ? WL_DOES_DECODE : 0U);
}

unsigned wl_range_does(const char *name)
{
	static const char *const prefill[] = { "prefill", "extend" }, *const decode[] = {
		"decode"
	};
	unsigned counted = does(number_after(name, "context_"), number_after(name, "generation_")) |
			   does(number_before(name, " ctx reqs"), number_before(name, " gen reqs"));

	if (counted)
		return counted;
	return (has_word(name, prefill, WL_COUNT(prefill)) ? WL_DOES_PREFILL : 0U) |
	       (has_word(name, decode, WL_COUNT(decode)) ? WL_DOES_DECODE : 0U);
}

unsigned wl_kernel_does(const char *name)
{
	static const char *const prefill[] = { "prefill" }, *const decode[] = { "decode" };

	if (strstr(name, "paged_attention_v") || strstr(name, "masked_multihead_attention"))
		return WL_DOES_DECODE;
	return (has_word(name, prefill, WL_COUNT(prefill)) ? WL_DOES_PREFILL : 0U) |
	       (has_word(name, decode, WL_COUNT(decode)) ? WL_DOES_DECODE : 0U);
}
