/* SPDX-License-Identifier: MIT */
/*
 * traits.h - the features of a question, as texts that can be compared: words, neighbours, pieces
 * of words, senses, pairs of senses, and the rule that fits.
 */
#ifndef WL_AGENT_ROUTE_TRAITS_H
#define WL_AGENT_ROUTE_TRAITS_H

#include <stddef.h>

#include "agent/route/question.h"
#include "agent/route/senses.h"

enum { WL_TRAIT = 48, WL_MAX_TRAITS = 1024 };

/* A text padded with zeros, so that equal traits have equal bytes. Longer texts are cut. */
struct wl_trait {
	char text[WL_TRAIT];
};

/* First byte of a trait that counts even if only one question has it: a word, sense or rule. */
enum { WL_TRAIT_ALONE = '=' };

struct wl_traits {
	struct wl_trait trait[WL_MAX_TRAITS]; /* some occur twice */
	size_t n;
};

/* Find the traits of a question; q is scratch space. */
void wl_traits_find(const struct wl_vocabulary *v, const char *question, struct wl_question *q,
		    struct wl_traits *ret);

#endif
