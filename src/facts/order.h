/* SPDX-License-Identifier: MIT */
/* order.h - the one order of facts: of rows by their columns, of texts by their bytes. */
#ifndef WL_FACTS_ORDER_H
#define WL_FACTS_ORDER_H

#include "facts/facts.h"

/* -1, 0 or 1: two rows of a table by its columns, of which the keys come first. */
int wl_facts_compare(const struct wl_facts *facts, enum wl_facts_table_id table, size_t a,
		     size_t b);

/*
 * Whether texts and rows of the tables that are kept are in order, each once, and numbers of
 * texts, ranks and operations in range; sets is_numbered.
 */
bool wl_facts_is_settled(struct wl_facts *facts) WL_MUST_CHECK;

/* Numbers of ranks tell all rows of ranks apart, which must be in order. */
bool wl_facts_has_numbers(const struct wl_facts *facts);

#endif
