/* SPDX-License-Identifier: MIT */
/* order.h - the canonical order of facts: rows by their columns, texts by their bytes. */
#ifndef WL_FACTS_ORDER_H
#define WL_FACTS_ORDER_H

#include "facts/facts.h"

/* Compare two rows of a table by its columns, keys first: -1, 0 or 1. */
int wl_facts_compare(const struct wl_facts *facts, enum wl_facts_table_id table, size_t a,
		     size_t b);

/*
 * Whether texts and rows of the kept tables are in order without duplicates, and numbers of texts,
 * ranks and operations are in range; sets is_numbered.
 */
bool wl_facts_is_settled(struct wl_facts *facts) WL_MUST_CHECK;

/* Whether rank numbers distinguish all rows of ranks, which must be in order. */
bool wl_facts_has_numbers(const struct wl_facts *facts);

#endif
