/* SPDX-License-Identifier: MIT */
/* run.h - the run as a whole, made of the facts of its ranks: tables runs and op_step. */
#ifndef WL_FACTS_RUN_H
#define WL_FACTS_RUN_H

#include "facts/facts.h"

/*
 * Fill the tables runs (one row) and op_step of settled facts, which have at least one rank. The id
 * of the run depends on job and capture start of the first rank only, the version on all parts: a
 * rank that comes late makes a new version of the same run. O(n log n) of op_work. False without
 * memory.
 */
bool wl_facts_make_run(struct wl_facts *facts) WL_MUST_CHECK;

#endif
