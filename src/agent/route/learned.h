/* SPDX-License-Identifier: MIT */
/*
 * learned.h - which traits speak for which verb, as learned from data/questions.tsv.
 *
 * Multinomial logistic regression: each trait has a weight for some verbs, and the sums of a
 * question's traits become shares that add up to 1. The weights are found when the program is
 * built, by tools/learn, which also leaves out the smaller ones; none of the questions is in the
 * program. Constant: threads may share it.
 */
#ifndef WL_AGENT_ROUTE_LEARNED_H
#define WL_AGENT_ROUTE_LEARNED_H

#include <stdint.h>

#include "agent/route/traits.h"

/* Verbs and topics at most; the first weight of each BLOCK-th trait is written down. */
enum { WL_LEARNED_MOST_VERBS = 80, WL_LEARNED_BLOCK = 16 };

/* A verb, or a topic in parentheses: questions that no trace answers. */
struct wl_learned {
	const char *const *verb;
	const float *bias; /* by verb */
	size_t n_verbs;
	const uint32_t *trait; /* wl_learned_hash, ascending */
	const uint8_t *count;  /* of a trait's weights, which stand one after the other */
	const uint32_t *first; /* number of the first weight of traits 0, BLOCK, 2 BLOCK, ... */
	size_t n_traits;
	const uint8_t *of;    /* by weight: the number of its verb */
	const int8_t *weight; /* in units */
	float unit;
};

/* Made by tools/learn. */
extern const struct wl_learned wl_learned;

/* What a trait is known by. */
static inline uint32_t wl_learned_hash(const char *text)
{
	uint32_t h = 2166136261U;

	for (; *text; text++)
		h = (h ^ (unsigned char)*text) * 16777619U;
	return h;
}

/*
 * Sums of n traits, whose weights are added up in sum[n_verbs], become shares. More traits are no
 * stronger evidence: their mean counts, times a factor by which a few decisive ones suffice.
 */
void wl_learned_share(float *sum, size_t n, const float *bias, size_t n_verbs);

/*
 * The share of each verb, n_verbs of them. Returns how many words, senses and rules are known:
 * without any, the shares say nothing of the question. Takes time in proportion to the traits.
 */
size_t wl_learned_ask(const struct wl_traits *traits, float ret_share[WL_LEARNED_MOST_VERBS]);

#endif
