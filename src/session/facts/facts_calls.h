/* SPDX-License-Identifier: MIT */
/* facts_calls.h - the table mpi_calls of facts, and how many such calls each rank has. */
#ifndef WL_SESSION_FACTS_CALLS_H
#define WL_SESSION_FACTS_CALLS_H

#include "analysis/analysis.h"
#include "facts/facts.h"

/* Columns that it reads, of calls between two ranks. */
void wl_facts_calls_want(struct wl_wanted *wanted);

/*
 * Put the MPI calls that wait for other ranks, by device: rank_of has its row of ranks, or WL_NONE.
 * A rank has all of its calls, or none where they would take most of the room of its facts, or
 * where several processes use its GPU: their calls are of one rank then. Needs matches, and the
 * tables ranks and steps. Linear in calls and steps. False when memory is exhausted.
 */
bool wl_facts_put_calls(const struct wl_run *run, const uint32_t *rank_of, struct wl_arena *scratch,
			struct wl_facts *facts) WL_MUST_CHECK;

/* What the texts of the column kind stand for: a family of MPI calls. */
enum wl_family_id wl_facts_call_family(const char *kind);

#endif
