/* SPDX-License-Identifier: MIT */
/* texts.h - the distinct texts of a set of facts, numbered; number 0 is "". */
#ifndef WL_FACTS_TEXTS_H
#define WL_FACTS_TEXTS_H

#include <stddef.h>
#include <stdint.h>

#include "base/attr.h"
#include "base/memory/hash.h"
#include "base/memory/intern.h"
#include "base/memory/vec.h"

struct wl_facts_texts {
	struct wl_vec bytes; /* each with its NUL */
	struct wl_vec at;    /* uint32_t: where each begins */
	struct wl_vec slots; /* hash table of numbers + 1; 0 is free */
	struct wl_hash_key key;
};

/* The budget must outlive the texts. */
void wl_facts_texts_init(struct wl_facts_texts *texts, struct wl_budget *budget);
void wl_facts_texts_release(struct wl_facts_texts *texts);

/* The number of a text of n bytes, which is added if new; WL_NONE when memory or numbers run
 * out. */
uint32_t wl_facts_texts_put(struct wl_facts_texts *texts, const char *text, size_t n) WL_MUST_CHECK;

/* The text with a number; "" if there is none. */
const char *wl_facts_text(const struct wl_facts_texts *texts, uint32_t number);

#endif
