/* SPDX-License-Identifier: MIT */
/*
 * train.c - stochastic gradient descent with steps that shrink where a trait has been corrected
 * often (AdaGrad). The order of examples is shuffled by fixed numbers, so that the same examples
 * give the same weights.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "lesson.h"

/*
 * Chosen by cross-validation. decay: what is left of a weight after a step. settled: an example
 * whose only verb has this share teaches nothing more. next_best: how much a verb counts by the
 * one before it.
 */
static const float decay = 0.9995F, bias_rate = 0.01F, settled = 0.97F, next_best = 0.3F,
		   least = 1e-6F;

static void share(const struct lesson *l, const struct lesson_example *e, float *ret)
{
	memset(ret, 0, LESSON_WIDTH * sizeof(*ret));
	for (size_t i = 0; i < e->n; i++) {
		const float *w = l->weight + (size_t)l->number[e->first + i] * LESSON_WIDTH;

		for (size_t v = 0; v < LESSON_WIDTH; v++)
			ret[v] += w[v];
	}
	wl_learned_share(ret, e->n, l->bias, l->n_verbs);
}

/* Subtract what the shares should be. */
static void demand(const struct lesson_example *e, float *error)
{
	float part[LESSON_VERBS] = { 1 }, sum = 1;

	for (size_t i = 1; i < e->n_verbs; i++) {
		part[i] = part[i - 1] * next_best;
		sum += part[i];
	}
	for (size_t i = 0; i < e->n_verbs; i++)
		error[e->verb[i]] -= part[i] / sum;
}

/* One step of a trait; weights that are not kept stay 0. */
static void correct_trait(struct lesson *l, size_t t, float step, const float *error)
{
	float *w = l->weight + t * LESSON_WIDTH;
	const bool *kept = l->is_kept ? l->is_kept + t * LESSON_WIDTH : NULL;

	for (size_t v = 0; v < LESSON_WIDTH; v++)
		w[v] = !kept || kept[v] ? (w[v] - step * error[v]) * decay : 0;
}

/* error[v] is by how much the share of each verb is too large. */
static void correct(struct lesson *l, const struct lesson_example *e, const float *error,
		    float rate, float *past)
{
	float part = 1.0F / sqrtf((float)(e->n ? e->n : 1)), square = 0;

	for (size_t v = 0; v < l->n_verbs; v++) {
		square += error[v] * error[v];
		l->bias[v] -= bias_rate * error[v];
	}
	for (size_t i = 0; i < e->n; i++) {
		size_t t = l->number[e->first + i];

		past[t] += square * part * part;
		correct_trait(l, t, rate * part / sqrtf(past[t] + least), error);
	}
}

static void shuffle(uint32_t *order, size_t n, uint64_t *state)
{
	for (size_t i = n; i > 1; i--) {
		size_t k;
		uint32_t swap;

		*state = *state * 6364136223846793005U + 1442695040888963407U;
		k = (size_t)(*state >> 33) % i;
		swap = order[i - 1];
		order[i - 1] = order[k];
		order[k] = swap;
	}
}

static void go_round(struct lesson *l, const uint32_t *order, float rate, float *past)
{
	float error[LESSON_WIDTH];

	for (size_t i = 0; i < l->n_examples; i++) {
		const struct lesson_example *e = &l->example[order[i]];

		share(l, e, error);
		if (e->n_verbs == 1 && error[e->verb[0]] >= settled)
			continue;
		demand(e, error);
		for (size_t v = l->n_verbs; v < LESSON_WIDTH; v++)
			error[v] = 0;
		correct(l, e, error, rate, past);
	}
}

void lesson_train(struct lesson *l, int rounds, float rate)
{
	uint32_t *order = lesson_new(l->n_examples, sizeof(*order));
	float *past = lesson_new(l->n_traits, sizeof(*past));
	uint64_t state = 1;

	for (size_t i = 0; i < l->n_examples; i++)
		order[i] = (uint32_t)i;
	for (int i = 0; i < rounds; i++) {
		shuffle(order, l->n_examples, &state);
		go_round(l, order, rate, past);
	}
	free(order);
	free(past);
}
