/* SPDX-License-Identifier: MIT */
/*
 * merge.h - the facts of several files as one set.
 *
 * The result is a function of the set of traces: neither the order of files nor how they were
 * grouped before matters, and facts that come twice count once.
 */
#ifndef WL_FACTS_MERGE_H
#define WL_FACTS_MERGE_H

#include "facts/facts.h"

/* Order of calls: begin; add, as often as wanted; finish. Release *ret also after a failure. */
void wl_facts_merge_begin(struct wl_facts *ret, struct wl_budget *budget);

/* Add settled facts, which are not needed any more afterwards. Failures stay in ret. */
void wl_facts_merge_add(struct wl_facts *ret, const struct wl_facts *facts);

/* Settle. Answers are kept of a single trace only. False when memory was exhausted. */
bool wl_facts_merge_finish(struct wl_facts *ret) WL_MUST_CHECK;

#endif
