/* SPDX-License-Identifier: MIT */
/* senses.h - what the words of a question stand for, according to words.def. */
#ifndef WL_AGENT_ROUTE_SENSES_H
#define WL_AGENT_ROUTE_SENSES_H

#include <stdbool.h>

#include "agent/route/question.h"
#include "base/attr.h"
#include "base/memory/arena.h"

struct wl_vocabulary_entry;

/* The words of words.def, sorted. It lives in its arena. */
struct wl_vocabulary {
	struct wl_vocabulary_entry *entry;
	size_t n;
};

/* Whether words.def defines a sense of this name of n bytes. For tests. */
bool wl_sense_exists(const char *sense, size_t n);

/* False if memory runs out. */
bool wl_vocabulary_init(struct wl_vocabulary *v, struct wl_arena *arena) WL_MUST_CHECK;

/*
 * What the words of a question stand for, each once: concepts of words.def, or words missing from
 * it. Writes at most WL_MAX_WORDS and returns how many. They are constants, or point into the
 * question, whose keys are cut to stems.
 */
size_t wl_senses_of(const struct wl_vocabulary *v, struct wl_question *q,
		    const char *ret[WL_MAX_WORDS]);

#endif
