/* SPDX-License-Identifier: MIT */
#include "agent/route/learned.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/attr.h"

/*
 * Chosen by cross-validation. rate: the first step of a trait. decay: what is left of a weight
 * after a step. scale: of sums, so that a few decisive traits suffice. settled: an example whose
 * only verb has this share teaches nothing more. next_best: how much a verb counts by the one
 * before it.
 */
static const float rate = 0.5F, decay = 0.9995F, scale = 3.0F, bias_rate = 0.01F, settled = 0.97F,
		   next_best = 0.3F, least = 1e-6F;

/* WIDTH: weights of a trait, those past the last verb unused: a fixed number of them is added up
 * several at a time. */
enum { ROUNDS = 3, WIDTH = WL_LEARNED_MOST_VERBS };

struct example {
	size_t first, n; /* of number */
	size_t n_verbs;
	size_t verb[WL_LEARNED_VERBS];
};

void wl_learned_init(struct wl_learned *m, size_t n_verbs, struct wl_arena *arena)
{
	*m = (struct wl_learned){ .arena = arena, .n_verbs = n_verbs };
	wl_intern_init(&m->traits, sizeof(struct wl_trait), wl_arena_budget(arena));
	wl_vec_init(&m->number, sizeof(uint32_t), wl_arena_budget(arena));
	wl_vec_init(&m->example, sizeof(struct example), wl_arena_budget(arena));
	wl_vec_init(&m->last, sizeof(uint32_t), wl_arena_budget(arena));
}

void wl_learned_release(struct wl_learned *m)
{
	wl_intern_release(&m->traits);
	wl_vec_release(&m->number);
	wl_vec_release(&m->example);
	wl_vec_release(&m->last);
}

/* Whether the example that is being added has the trait already; afterwards it has. */
static bool is_again(struct wl_learned *m, uint32_t trait)
{
	uint32_t now = (uint32_t)m->example.n + 1, none = 0, *last;

	while (m->last.n <= trait && !m->last.failed)
		wl_vec_push(&m->last, &none);
	if (m->last.failed)
		return false;
	last = (uint32_t *)m->last.data + trait;
	if (*last == now)
		return true;
	*last = now;
	return false;
}

bool wl_learned_add(struct wl_learned *m, const struct wl_traits *traits, const size_t *verb,
		    size_t n_verbs)
{
	struct example e = { .first = m->number.n };

	for (; e.n_verbs < n_verbs && e.n_verbs < WL_LEARNED_VERBS; e.n_verbs++)
		e.verb[e.n_verbs] = verb[e.n_verbs];
	for (size_t i = 0; i < traits->n; i++) {
		uint32_t t = wl_intern_put(&m->traits, &traits->trait[i]);

		if (t == WL_NONE)
			return false;
		if (is_again(m, t))
			continue;
		wl_vec_push(&m->number, &t);
		if (m->number.failed || m->last.failed)
			return false;
		e.n++;
	}
	wl_vec_push(&m->example, &e);
	return !m->example.failed;
}

/* Leave out the traits, but words, senses and rules, that a single example has: they are noise. */
static bool leave_out_rare(struct wl_learned *m)
{
	uint32_t *uses = WL_NEW(m->arena, uint32_t, m->traits.items.n + 1);
	const struct wl_trait *trait = m->traits.items.data;
	uint32_t *number = m->number.data;
	struct example *e = m->example.data;

	if (!uses)
		return false;
	for (size_t i = 0; i < m->number.n; i++)
		uses[number[i]]++;
	for (size_t i = 0; i < m->example.n; i++) {
		uint32_t *mine = number + e[i].first;
		size_t n = 0;

		for (size_t k = 0; k < e[i].n; k++) {
			if (uses[mine[k]] > 1 || trait[mine[k]].text[0] == WL_TRAIT_ALONE)
				mine[n++] = mine[k];
		}
		e[i].n = n;
	}
	return true;
}

/* Shares of verbs for n traits. */
static void weigh(const struct wl_learned *m, const uint32_t *number, size_t n, float *ret_share)
{
	float factor = scale / sqrtf((float)(n ? n : 1)), most = -INFINITY, sum = 0;
	float of[WIDTH] = { 0 }; /* its own, so that no weight can be one of them */

	for (size_t i = 0; i < n; i++) {
		const float *w = m->weight + (size_t)number[i] * WIDTH;

		for (size_t v = 0; v < WIDTH; v++)
			of[v] += w[v];
	}
	for (size_t v = 0; v < m->n_verbs; v++) {
		ret_share[v] = of[v] * factor + m->bias[v];
		most = ret_share[v] > most ? ret_share[v] : most;
	}
	for (size_t v = 0; v < m->n_verbs; v++) {
		ret_share[v] = expf(ret_share[v] - most);
		sum += ret_share[v];
	}
	for (size_t v = 0; v < m->n_verbs; v++)
		ret_share[v] /= sum;
}

/* One step: error[v] is by how much the share of each verb is too large. */
static void correct(struct wl_learned *m, const struct example *e, const float *error, float *past)
{
	const uint32_t *number = (const uint32_t *)m->number.data + e->first;
	float part = 1.0F / sqrtf((float)(e->n ? e->n : 1)), square = 0;

	for (size_t v = 0; v < m->n_verbs; v++) {
		square += error[v] * error[v];
		m->bias[v] -= bias_rate * error[v];
	}
	for (size_t i = 0; i < e->n; i++) {
		float *w = m->weight + (size_t)number[i] * WIDTH, step;

		past[number[i]] += square * part * part;
		step = rate * part / sqrtf(past[number[i]] + least);
		for (size_t v = 0; v < WIDTH; v++)
			w[v] = (w[v] - step * error[v]) * decay;
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

/* Subtract what the shares should be. */
static void demand(const struct example *e, float *error)
{
	float part[WL_LEARNED_VERBS] = { 1 }, sum = 1;

	for (size_t i = 1; i < e->n_verbs; i++) {
		part[i] = part[i - 1] * next_best;
		sum += part[i];
	}
	for (size_t i = 0; i < e->n_verbs; i++)
		error[e->verb[i]] -= part[i] / sum;
}

static void go_round(struct wl_learned *m, const uint32_t *order, float *error, float *past)
{
	const struct example *all = m->example.data;

	for (size_t i = 0; i < m->example.n; i++) {
		const struct example *e = &all[order[i]];

		weigh(m, (const uint32_t *)m->number.data + e->first, e->n, error);
		if (e->n_verbs == 1 && error[e->verb[0]] >= settled)
			continue;
		demand(e, error);
		correct(m, e, error, past);
	}
}

bool wl_learned_train(struct wl_learned *m)
{
	size_t n = m->traits.items.n + 1;
	uint32_t *order = WL_NEW(m->arena, uint32_t, m->example.n + 1);
	float *past = WL_NEW(m->arena, float, n), *error = WL_NEW(m->arena, float, WIDTH);
	uint64_t state = 1;

	m->weight = WL_NEW(m->arena, float, n *WIDTH);
	m->bias = WL_NEW(m->arena, float, m->n_verbs);
	if (!order || !past || !error || !m->weight || !m->bias || !leave_out_rare(m))
		return false;
	for (size_t i = 0; i < m->example.n; i++)
		order[i] = (uint32_t)i;
	for (int i = 0; i < ROUNDS; i++) {
		shuffle(order, m->example.n, &state);
		go_round(m, order, error, past);
	}
	return true;
}

static int compare_numbers(const void *a, const void *b)
{
	uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;

	return x < y ? -1 : x > y;
}

size_t wl_learned_ask(const struct wl_learned *m, const struct wl_traits *traits, float *ret_share)
{
	uint32_t number[WL_MAX_TRAITS];
	size_t n = 0, n_once = 0, n_words = 0;

	for (size_t i = 0; i < traits->n; i++) {
		uint32_t t = wl_intern_find(&m->traits, &traits->trait[i]);

		if (t == WL_NONE)
			continue;
		number[n++] = t;
		n_words += traits->trait[i].text[0] == WL_TRAIT_ALONE;
	}
	if (n)
		qsort(number, n, sizeof(*number), compare_numbers);
	for (size_t i = 0; i < n; i++) {
		if (i == 0 || number[i] != number[i - 1])
			number[n_once++] = number[i];
	}
	weigh(m, number, n_once, ret_share);
	return n_words;
}
