/* SPDX-License-Identifier: MIT */
/*
 * traits.h - what a question is made of, as texts that can be compared: its words, neighbours,
 * pieces of words, senses, pairs of senses, and the rule that fits.
 */
#ifndef WL_AGENT_ROUTE_TRAITS_H
#define WL_AGENT_ROUTE_TRAITS_H

#include <stddef.h>

#include "agent/route/question.h"
#include "agent/route/senses.h"

enum { WL_TRAIT = 48, WL_MAX_TRAITS = 1024 };

/* Filled up with zeros, so that equal ones have equal bytes. What does not fit is cut. */
struct wl_trait {
	char text[WL_TRAIT];
};

/* The first byte of a trait: a word, sense or rule counts even where only one question has it. */
enum { WL_TRAIT_ALONE = '=' };

struct wl_traits {
	struct wl_trait trait[WL_MAX_TRAITS]; /* some of them twice */
	size_t n;
};

/* q is used meanwhile. */
void wl_traits_find(const struct wl_vocabulary *v, const char *question, struct wl_question *q,
		    struct wl_traits *ret);

#endif
