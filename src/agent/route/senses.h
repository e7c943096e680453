/* SPDX-License-Identifier: MIT */
/* senses.h - what words of a question stand for, by words.def. */
#ifndef WL_AGENT_ROUTE_SENSES_H
#define WL_AGENT_ROUTE_SENSES_H

#include <stdbool.h>

#include "agent/route/question.h"
#include "base/attr.h"
#include "base/memory/arena.h"

struct wl_vocabulary_entry;

/* The words of words.def, sorted. Lives in its arena. */
struct wl_vocabulary {
	struct wl_vocabulary_entry *entry;
	size_t n;
};

/* Whether words.def makes a sense of this name of n bytes. For tests. */
bool wl_sense_exists(const char *sense, size_t n);

/* False without memory. */
bool wl_vocabulary_init(struct wl_vocabulary *v, struct wl_arena *arena) WL_MUST_CHECK;

/*
 * What the words of a question stand for, each once: concepts of words.def, or words that it
 * does not have. Writes at most WL_MAX_WORDS and returns how many. They are constant, or
 * point into the question, whose keys are shortened to their stems.
 */
size_t wl_senses_of(const struct wl_vocabulary *v, struct wl_question *q,
		    const char *ret[WL_MAX_WORDS]);

#endif
