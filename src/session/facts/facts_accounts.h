/* SPDX-License-Identifier: MIT */
/*
 * facts_accounts.h - where the time of ranks went, of facts of several traces.
 *
 * Steps, idle time, arrivals and exposed stretches are there; kernels and copies are not. The
 * accounts of derived.def follow from these, so that analyses of them answer as from the traces.
 */
#ifndef WL_SESSION_FACTS_ACCOUNTS_H
#define WL_SESSION_FACTS_ACCOUNTS_H

#include "session/facts/facts_job.h"

/*
 * Add to a view of the job in that scope (wl_facts_job_narrow) those accounts that the set has,
 * with what they are from. Linear in steps and arrivals. Owned by the arena; false when that is
 * exhausted.
 */
bool wl_facts_account(const struct wl_facts_job *job, const struct wl_scope *scope, uint64_t from,
		      struct wl_arena *arena, struct wl_derived *view) WL_MUST_CHECK;

#endif
