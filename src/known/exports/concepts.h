/* SPDX-License-Identifier: MIT */
/* concepts.h - the concepts of an export that several tables share. */
#ifndef WL_KNOWN_CONCEPTS_H
#define WL_KNOWN_CONCEPTS_H

#include <stdbool.h>

enum wl_concept_id {
#define WL_CONCEPT(ID, key, title, columns, text) WL_CONCEPT_##ID,
#include "known/exports/concepts.def"
#undef WL_CONCEPT
	WL_N_CONCEPTS
};

struct wl_concept {
	const char *key;     /* a lower-case word */
	const char *title;   /* a few words */
	const char *columns; /* blanks between; see wl_concept_is_about() */
	const char *text;    /* a paragraph */
};

extern const struct wl_concept wl_concepts[WL_N_CONCEPTS];

/* It speaks of this column of this table: by name in any table, or of the table by both. */
bool wl_concept_is_about(enum wl_concept_id id, const char *table, const char *column);

#endif
