/* SPDX-License-Identifier: MIT */
/*
 * answers.h - finished answers stored with the facts of one trace: bytes under a name.
 *
 * The meaning of the bytes is known only to the code that put them.
 */
#ifndef WL_FACTS_ANSWERS_H
#define WL_FACTS_ANSWERS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/memory/vec.h"

struct wl_facts_answers {
	struct wl_vec item;  /* struct wl_facts_answer */
	struct wl_vec bytes; /* name, NUL, content of each; if read, a length before content */
};

struct wl_facts_answer {
	size_t name, at, n; /* in bytes: where name and content begin, and the content's length */
};

/* The budget must outlive the answers. */
void wl_facts_answers_init(struct wl_facts_answers *answers, struct wl_budget *budget);
void wl_facts_answers_release(struct wl_facts_answers *answers);

/* Add an answer; false without memory. */
bool wl_facts_answers_put(struct wl_facts_answers *answers, const char *name, const void *bytes,
			  size_t n) WL_MUST_CHECK;

/* Sort the answers by name; of several with one name only the first is kept. */
void wl_facts_answers_settle(struct wl_facts_answers *answers);

/* Whether the answers are in that order. */
bool wl_facts_answers_are_settled(const struct wl_facts_answers *answers);

/* The content of the answer with this name, and its length; NULL if there is none. The answers must
 * be settled. */
const char *wl_facts_answers_find(const struct wl_facts_answers *answers, const char *name,
				  size_t *ret_n);

#endif
