/* SPDX-License-Identifier: MIT */
/* facts_waits.h - how the ranks of a run wait for each other: tables colls, waits and step_waits.
 */
#ifndef WL_SESSION_FACTS_WAITS_H
#define WL_SESSION_FACTS_WAITS_H

#include "facts/facts.h"

/*
 * Fill these tables of settled facts: collectives matched as in facts_job.h, waits and lateness as
 * ranks has them (derive/use/rank_use.h). O(n log n) of arrivals, else linear. False without
 * memory.
 */
bool wl_facts_make_waits(struct wl_facts *facts) WL_MUST_CHECK;

#endif
