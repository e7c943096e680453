/* SPDX-License-Identifier: MIT */
/*
 * learned.h - how strongly each trait indicates each verb, as learned from data/questions.tsv.
 *
 * Multinomial logistic regression: each trait has a weight for some verbs, and the sums over a
 * question's traits become shares that add up to 1. At build time, tools/learn finds the weights
 * and drops the smaller ones; the questions themselves are not in the program. Constant: threads
 * may share it.
 */
#ifndef WL_AGENT_ROUTE_LEARNED_H
#define WL_AGENT_ROUTE_LEARNED_H

#include <stdint.h>

#include "agent/route/traits.h"

/* Most verbs and topics; only every BLOCK-th trait's first weight is stored. */
enum { WL_LEARNED_MOST_VERBS = 80, WL_LEARNED_BLOCK = 16 };

/* The learned table. verb: a verb, or, in parentheses, a topic that no trace answers. */
struct wl_learned {
	const char *const *verb;
	const float *bias; /* by verb */
	size_t n_verbs;
	const uint32_t *trait; /* wl_learned_hash, ascending */
	const uint8_t *count;  /* number of a trait's weights, which are stored consecutively */
	const uint32_t *first; /* number of the first weight of traits 0, BLOCK, 2 BLOCK, ... */
	size_t n_traits;
	const uint8_t *of;    /* by weight: its verb's number */
	const int8_t *weight; /* in units */
	float unit;
};

/* Made by tools/learn. */
extern const struct wl_learned wl_learned;

/* The hash that identifies a trait. */
static inline uint32_t wl_learned_hash(const char *text)
{
	uint32_t h = 2166136261U;

	for (; *text; text++)
		h = (h ^ (unsigned char)*text) * 16777619U;
	return h;
}

/*
 * Turn sum[n_verbs], the summed weights of n traits, into shares. More traits are not stronger
 * evidence: their mean counts, times a factor chosen so that a few decisive ones suffice.
 */
void wl_learned_share(float *sum, size_t n, const float *bias, size_t n_verbs);

/*
 * Compute the share of each of the n_verbs verbs. Returns how many words, senses and rules are
 * known: if none, the shares say nothing about the question. Takes time proportional to the number
 * of traits.
 */
size_t wl_learned_ask(const struct wl_traits *traits, float ret_share[WL_LEARNED_MOST_VERBS]);

#endif
