/* SPDX-License-Identifier: MIT */
/* facts_ops.h - what communicates in a job of facts, found by rank and start, and by match. */
#ifndef WL_SESSION_FACTS_OPS_H
#define WL_SESSION_FACTS_OPS_H

#include "base/attr.h"
#include "base/memory/arena.h"
#include "derive/comm/match/matches.h"

struct wl_facts_ops {
	const struct wl_matches *matches; /* of the job */
	const size_t *first;              /* by rank, and once more: of by_start */
	const uint32_t *by_start;         /* operations by rank, then start */
	const size_t *match_first;        /* by match, and once more: of by_match */
	const uint32_t *by_match;         /* matched operations by match */
};

/* Sorts the operations. Owned by the arena; false when that is exhausted. */
bool wl_facts_ops_make(const struct wl_matches *matches, size_t n_ranks, struct wl_arena *arena,
		       struct wl_facts_ops *ret) WL_MUST_CHECK;

/* The operation of the job that one of a rank's trace is; WL_NONE. */
uint32_t wl_facts_ops_find(const struct wl_facts_ops *ops, uint32_t rank,
			   const struct wl_comm_op *op);

/*
 * The last to arrive at a match before a time, of several the one of the first rank; NULL where
 * none does. At a match of messages the calls at their other ends arrive.
 */
const struct wl_comm_op *wl_facts_ops_last(const struct wl_facts_ops *ops, uint32_t match,
					   wl_ns end);

/*
 * Messages of the job as those of operations of traces: of_trace has these by operation of the
 * job, or WL_NONE; n operations. False when the arena is exhausted.
 */
bool wl_facts_ops_messages(const struct wl_facts_ops *ops, const uint32_t *of_trace, size_t n,
			   struct wl_arena *arena, struct wl_messages *ret) WL_MUST_CHECK;

#endif
