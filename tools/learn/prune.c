/* SPDX-License-Identifier: MIT */
/*
 * prune.c - leaves the small weights out. A constant that is added to all weights of a trait
 * changes no share: with the median taken off, most weights are small.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "lesson.h"

/* Bytes of a weight, and of a trait beside its weights; halvings of the range of limits. */
enum { WEIGHT = 2, BLOCK = 4, TRAIT = 5, HALVINGS = 30 };

static int compare(const void *a, const void *b)
{
	float x = *(const float *)a, y = *(const float *)b;

	return (x > y) - (x < y);
}

static void take_medians_off(struct lesson *l)
{
	float sorted[LESSON_WIDTH];

	for (size_t t = 0; t < l->n_traits; t++) {
		float *w = l->weight + t * LESSON_WIDTH;

		memcpy(sorted, w, l->n_verbs * sizeof(*w));
		qsort(sorted, l->n_verbs, sizeof(*sorted), compare);
		for (size_t v = 0; v < l->n_verbs; v++)
			w[v] -= sorted[l->n_verbs / 2];
	}
}

/* A weight of a trait that many questions have matters more. */
static float matters(const struct lesson *l, size_t t, size_t v)
{
	return fabsf(l->weight[t * LESSON_WIDTH + v]) * sqrtf((float)l->uses[t]);
}

static size_t bytes_above(const struct lesson *l, float limit)
{
	size_t bytes = 0, n_traits = 0;

	for (size_t t = 0; t < l->n_traits; t++) {
		size_t n = 0;

		for (size_t v = 0; v < l->n_verbs; v++)
			n += matters(l, t, v) > limit;
		bytes += n * WEIGHT;
		n_traits += n || l->is_alone[t];
	}
	return bytes + n_traits * TRAIT + n_traits / WL_LEARNED_BLOCK * BLOCK;
}

void lesson_prune(struct lesson *l, size_t bytes)
{
	float lo = 0, hi = 1e6F;

	take_medians_off(l);
	for (int i = 0; i < HALVINGS; i++) {
		float mid = (lo + hi) / 2;

		if (bytes_above(l, mid) <= bytes)
			hi = mid;
		else
			lo = mid;
	}
	l->is_kept = lesson_new(l->n_traits * LESSON_WIDTH, sizeof(*l->is_kept));
	for (size_t t = 0; t < l->n_traits; t++) {
		for (size_t v = 0; v < LESSON_WIDTH; v++) {
			size_t at = t * LESSON_WIDTH + v;

			l->is_kept[at] = v < l->n_verbs && matters(l, t, v) > hi;
			l->weight[at] = l->is_kept[at] ? l->weight[at] : 0;
		}
	}
}
