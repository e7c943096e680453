/* SPDX-License-Identifier: MIT */
#include "agent/route/learned.h"

#include <stdlib.h>
#include <string.h>

enum { UNKNOWN = -1 };

/* The number of a trait; UNKNOWN if it was not learned. */
static long find(uint32_t hash)
{
	size_t lo = 0, hi = wl_learned.n_traits;

	while (lo < hi) {
		size_t mid = lo + (hi - lo) / 2;

		if (wl_learned.trait[mid] < hash)
			lo = mid + 1;
		else
			hi = mid;
	}
	return lo < wl_learned.n_traits && wl_learned.trait[lo] == hash ? (long)lo : UNKNOWN;
}

static void add(size_t trait, float *sum)
{
	size_t block = trait / WL_LEARNED_BLOCK, at = wl_learned.first[block];

	for (size_t i = block * WL_LEARNED_BLOCK; i < trait; i++)
		at += wl_learned.count[i];
	for (size_t end = at + wl_learned.count[trait]; at < end; at++)
		sum[wl_learned.of[at]] += (float)wl_learned.weight[at];
}

static int compare(const void *a, const void *b)
{
	long x = *(const long *)a, y = *(const long *)b;

	return (x > y) - (x < y);
}

size_t wl_learned_ask(const struct wl_traits *traits, float ret_share[WL_LEARNED_MOST_VERBS])
{
	long number[WL_MAX_TRAITS];
	size_t n = 0, n_once = 0, n_words = 0;

	memset(ret_share, 0, WL_LEARNED_MOST_VERBS * sizeof(*ret_share));
	for (size_t i = 0; i < traits->n; i++) {
		long t = find(wl_learned_hash(traits->trait[i].text));

		if (t == UNKNOWN)
			continue;
		number[n++] = t;
		n_words += traits->trait[i].text[0] == WL_TRAIT_ALONE;
	}
	if (n)
		qsort(number, n, sizeof(*number), compare);
	for (size_t i = 0; i < n; i++) {
		if (i > 0 && number[i] == number[i - 1])
			continue;
		add((size_t)number[i], ret_share);
		n_once++;
	}
	for (size_t v = 0; v < wl_learned.n_verbs; v++)
		ret_share[v] *= wl_learned.unit;
	wl_learned_share(ret_share, n_once, wl_learned.bias, wl_learned.n_verbs);
	return n_words;
}
