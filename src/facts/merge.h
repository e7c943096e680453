/* SPDX-License-Identifier: MIT */
/*
 * merge.h - merges the facts of several files into one set.
 *
 * The result depends only on the set of traces, not on the order of files or on how they were
 * grouped before; facts added twice count once.
 */
#ifndef WL_FACTS_MERGE_H
#define WL_FACTS_MERGE_H

#include "facts/facts.h"

/* Order of calls: begin, add any number of times, finish. Release *ret even after a failure. */
void wl_facts_merge_begin(struct wl_facts *ret, struct wl_budget *budget);

/* Add settled facts, which may be released afterwards. Failures are sticky in ret. */
void wl_facts_merge_add(struct wl_facts *ret, const struct wl_facts *facts);

/* Settle the result. Answers are kept only if all facts are of a single trace. False when memory
 * was exhausted. */
bool wl_facts_merge_finish(struct wl_facts *ret) WL_MUST_CHECK;

#endif
