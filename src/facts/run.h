/* SPDX-License-Identifier: MIT */
/* run.h - computes the tables runs and op_step, the run as a whole, from the facts of its ranks. */
#ifndef WL_FACTS_RUN_H
#define WL_FACTS_RUN_H

#include "facts/facts.h"

/*
 * Fill the tables runs (one row) and op_step of settled facts, which have at least one rank. The
 * run id depends only on the job and capture start of the first rank, the version on all parts: a
 * rank added later makes a new version of the same run. O(n log n) in rows of op_work. False
 * without memory.
 */
bool wl_facts_make_run(struct wl_facts *facts) WL_MUST_CHECK;

#endif
