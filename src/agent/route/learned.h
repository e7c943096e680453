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
 * Training takes time in proportion to examples x traits x verbs: tens of milliseconds for
 * 3,000 examples.
 */
#ifndef WL_AGENT_ROUTE_LEARNED_H
#define WL_AGENT_ROUTE_LEARNED_H

#include "agent/route/traits.h"
#include "base/intern.h"

struct wl_learned {
	struct wl_arena *arena;
	struct wl_intern traits;
	struct wl_vec number;  /* uint32_t, of the traits of all examples one after the other */
	struct wl_vec example; /* struct of learned.c */
	size_t n_verbs;
	float *weight; /* by trait and verb */
	float *bias;   /* by verb */
};

/* Release it also after a failure. */
void wl_learned_init(struct wl_learned *m, size_t n_verbs, struct wl_arena *arena);
void wl_learned_release(struct wl_learned *m);

/* False without memory; so is train. */
bool wl_learned_add(struct wl_learned *m, const struct wl_traits *traits,
		    size_t verb) WL_MUST_CHECK;
bool wl_learned_train(struct wl_learned *m) WL_MUST_CHECK;

/*
 * The share of each verb, n_verbs of them. Returns how many traits are known: without any, the
 * shares say only how many examples verbs have.
 */
size_t wl_learned_ask(const struct wl_learned *m, const struct wl_traits *traits, float *ret_share);

#endif
