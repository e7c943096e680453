/* SPDX-License-Identifier: MIT */
/* relations.h - relations between the tables of an export: keys that no schema declares. */
#ifndef WL_KNOWN_RELATIONS_H
#define WL_KNOWN_RELATIONS_H

#include <stdbool.h>
#include <stddef.h>

#include "known/exports/concepts.h"

/* A line of relations.def. Keys are SQL expressions, commas between, as many on either side. */
struct wl_relation {
	enum wl_concept_id concept; /* what explains it */
	bool holds_for_all;         /* each row with a key finds one; else some do not */
	const char *table, *key;
	const char *to_table, *to_key;
	const char *note; /* what is found there: a fragment */
};

extern const struct wl_relation wl_relations[];
extern const size_t wl_n_relations;

/* The column is part of this key, as a whole word. */
bool wl_relation_key_has(const char *key, const char *column);

#endif
