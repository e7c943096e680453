/* SPDX-License-Identifier: MIT */
/* facts_suspects.h - which operations take longer on ranks of facts that make others wait. */
#ifndef WL_SESSION_FACTS_SUSPECTS_H
#define WL_SESSION_FACTS_SUSPECTS_H

#include "session/facts/facts_job.h"

struct wl_late_suspects;
struct wl_matches;

/* The tables that say what operations took, as bits of facts/file.h; a job is made without. */
extern const uint32_t wl_facts_suspects_tables;

/*
 * Name the operations of each suspect that take longer than on the others of its group, from
 * these tables of the same facts. Of n ranks with k operations O(n k log k) for each suspect. Texts
 * are copied. False when the arena is exhausted.
 */
bool wl_facts_suspects_compare(const struct wl_facts *facts, const struct wl_matches *matches,
			       struct wl_late_suspects *suspects,
			       struct wl_arena *arena) WL_MUST_CHECK;

#endif
