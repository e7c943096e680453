/* SPDX-License-Identifier: MIT */
/*
 * stage_chains.h - pipelines that run forward and backward: chains of ranks, and microbatches.
 *
 * Two ranks that exchange by SendRecv as a group of two are neighbours, unless their coordinates
 * are of one stage. Neighbours make chains, of one length; a rank with three neighbours, or a ring,
 * makes no chain, and two ranks make one only if their coordinates tell them apart as stages.
 * Before the first exchange of a step the earlier stage has computed at least twice as long as the
 * later one, which waits for its first microbatch; after the last one it computes longer by a tenth
 * or more, the last microbatch backward. That must hold for every pair of neighbours in three
 * quarters of the steps: it tells pipelines from halo exchanges, and training from inference.
 *
 * With S stages and M microbatches two neighbours exchange 2M times in a step; where a send and a
 * receive are one operation, as in one forward one backward, M + min(S - s, M) times, of stage s
 * from 1 with the next. Where the counts of all pairs are neither, or of two stages may be both,
 * the trace does not tell M.
 */
#ifndef WL_FINDINGS_STAGE_CHAINS_H
#define WL_FINDINGS_STAGE_CHAINS_H

#include "findings/rule_state.h"

struct wl_stage_chains {
	uint32_t *member; /* of the matches, by chain and stage */
	uint32_t *gpu;    /* of the rules, of each member: all are there and have steps */
	size_t n;         /* chains; 0: no pipeline */
	size_t n_stages;
	uint32_t microbatches; /* of a step; 0: the trace does not tell */
};

/* Needs matches, meshes and all activity. Linear in what communicates. False when the arena is
 * exhausted. */
bool wl_stage_chains_find(const struct wl_rule_state *d, struct wl_arena *arena,
			  struct wl_stage_chains *ret) WL_MUST_CHECK;

#endif
