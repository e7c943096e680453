/* SPDX-License-Identifier: MIT */
/*
 * learned.h - which traits speak for which verb, learned from examples.
 *
 * Multinomial logistic regression: each trait has a weight for each verb, and the sums of a
 * question's traits become shares that add up to 1. The weights are found by stochastic gradient
 * descent with steps that shrink where a trait has been corrected often (AdaGrad). The order of
 * examples is shuffled by fixed numbers, so that the same examples give the same weights.
 *
 * Order of calls: init; add, for all examples; train; then ask, also from several threads.
 * Training takes time in proportion to examples x traits x verbs.
 */
#ifndef WL_AGENT_ROUTE_LEARNED_H
#define WL_AGENT_ROUTE_LEARNED_H

#include "agent/route/traits.h"
#include "base/intern.h"

/* Verbs at most. */
enum { WL_LEARNED_MOST_VERBS = 80 };

struct wl_learned {
	struct wl_arena *arena;
	struct wl_intern traits;
	struct wl_vec number;  /* uint32_t, of the traits of all examples one after the other */
	struct wl_vec example; /* struct of learned.c */
	struct wl_vec last;    /* uint32_t, by trait: the last example that has it, from 1 */
	size_t n_verbs;
	float *weight; /* by trait and verb */
	float *bias;   /* by verb */
};

/* Release it also after a failure. */
void wl_learned_init(struct wl_learned *m, size_t n_verbs, struct wl_arena *arena);
void wl_learned_release(struct wl_learned *m);

/*
 * An example that any of the verbs answers, the best first; those past WL_LEARNED_VERBS do not
 * count. False without memory; so is train.
 */
enum { WL_LEARNED_VERBS = 4 };
bool wl_learned_add(struct wl_learned *m, const struct wl_traits *traits, const size_t *verb,
		    size_t n_verbs) WL_MUST_CHECK;
bool wl_learned_train(struct wl_learned *m) WL_MUST_CHECK;

/*
 * The share of each verb, n_verbs of them. Returns how many words, senses and rules are known:
 * without any, the shares say nothing of the question.
 */
size_t wl_learned_ask(const struct wl_learned *m, const struct wl_traits *traits, float *ret_share);

#endif
