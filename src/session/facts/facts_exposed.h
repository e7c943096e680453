/* SPDX-License-Identifier: MIT */
/*
 * facts_exposed.h - exposed communication by stage and collective: what the rule exposed-comm finds
 * to claim in a trace, kept as the table exposed_in, and given to it once more in a job.
 *
 * Rules before it claim time of each GPU alone, but for a straggler. So without one, what they
 * leave of each GPU is what they leave of it in a job. How much of that are waits for others is
 * known in the job.
 */
#ifndef WL_SESSION_FACTS_EXPOSED_H
#define WL_SESSION_FACTS_EXPOSED_H

#include "facts/facts.h"
#include "findings/rule_state.h"

/*
 * Put the rows of a run over the whole trace that has what findings want; rows of ranks are there.
 * Applies the rules before exposed-comm. Rows of an earlier call are dropped. False when memory is
 * exhausted.
 */
bool wl_facts_exposed_put(const struct wl_run *run, struct wl_facts *facts) WL_MUST_CHECK;

/*
 * The run of a job of these facts (facts_job.h) with these rows as atoms of its ledger, in
 * ret_derived. Linear in rows and steps. Owned by the arena of the run; false when that is
 * exhausted.
 */
bool wl_facts_exposed_run(const struct wl_facts *facts, const struct wl_run *run,
			  struct wl_derived *ret_derived, struct wl_run *ret) WL_MUST_CHECK;

/* Findings of exposed-comm, added to those of a rule state of such a run. False without memory. */
bool wl_facts_exposed_find(struct wl_rule_state *state) WL_MUST_CHECK;

#endif
