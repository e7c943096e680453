/* SPDX-License-Identifier: MIT */
/* facts_steps.h - the table steps of facts, and what ranks say of their steps. */
#ifndef WL_SESSION_FACTS_STEPS_H
#define WL_SESSION_FACTS_STEPS_H

#include "analysis/analysis.h"
#include "derive/use/rank_use.h"
#include "facts/facts.h"

/* Idle time of all causes. */
wl_ns wl_facts_idle_of(const struct wl_rank_sum *sum);

/*
 * Put a row for each step of a rank, whose row of ranks is the last there, and complete that. The
 * run is over the whole trace and has links, classes, all activity and iterations. Linear in the
 * operations of its device. False when memory is exhausted.
 */
bool wl_facts_put_steps(const struct wl_run *run, const struct wl_rank_use *use, uint32_t rank,
			struct wl_facts *facts) WL_MUST_CHECK;

#endif
