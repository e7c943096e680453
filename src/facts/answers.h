/* SPDX-License-Identifier: MIT */
/*
 * answers.h - finished answers that go with the facts of one trace: bytes under a name.
 *
 * What the bytes are, only those who put them know.
 */
#ifndef WL_FACTS_ANSWERS_H
#define WL_FACTS_ANSWERS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/memory/vec.h"

struct wl_facts_answers {
	struct wl_vec item;  /* struct wl_facts_answer */
	struct wl_vec bytes; /* of all: name, NUL, content; read ones have a length before it */
};

struct wl_facts_answer {
	size_t name, at,
		n; /* in bytes: where name and content begin, and how long the content is */
};

/* The budget must outlive it. */
void wl_facts_answers_init(struct wl_facts_answers *answers, struct wl_budget *budget);
void wl_facts_answers_release(struct wl_facts_answers *answers);

/* Add one; false without memory. */
bool wl_facts_answers_put(struct wl_facts_answers *answers, const char *name, const void *bytes,
			  size_t n) WL_MUST_CHECK;

/* Bring them into the order of their names, of several of one name the first alone. */
void wl_facts_answers_settle(struct wl_facts_answers *answers);

/* Whether they are in that order. */
bool wl_facts_answers_are_settled(const struct wl_facts_answers *answers);

/* The content of this name and its length, of settled ones; NULL when there is none. */
const char *wl_facts_answers_find(const struct wl_facts_answers *answers, const char *name,
				  size_t *ret_n);

#endif
