/* SPDX-License-Identifier: MIT */
/*
 * stage_chains.h - finds pipelines that run forward and backward: chains of ranks, and their
 * microbatches.
 *
 * Two ranks that exchange by SendRecv as a group of two are neighbours, unless their coordinates
 * put them in one stage. Neighbours make chains of equal length; a rank with three neighbours, or a
 * ring, makes no chain, and two ranks make one only if their coordinates show different stages.
 * Before the first exchange of a step, the earlier stage has computed at least twice as long as the
 * later one, which waits for its first microbatch; after the last exchange it computes longer by a
 * tenth or more, for the last microbatch backward. This must hold for every pair of neighbours in
 * three quarters of the steps. It distinguishes pipelines from halo exchanges, and training from
 * inference.
 *
 * With S stages and M microbatches, two neighbours exchange 2M times in a step. If a send and a
 * receive are one operation, as in one forward one backward, stage s, counted from 1, exchanges M +
 * min(S - s, M) times with the next. If the counts of all pairs fit neither, or those of two stages
 * fit both, the trace does not show M.
 */
#ifndef WL_FINDINGS_STAGE_CHAINS_H
#define WL_FINDINGS_STAGE_CHAINS_H

#include "findings/rule_state.h"

struct wl_stage_chains {
	uint32_t *member; /* member of the matches, by chain and stage */
	uint32_t *gpu;    /* GPU of the rule state, by member: all exist and have steps */
	size_t n;         /* number of chains; 0: no pipeline */
	size_t n_stages;
	uint32_t microbatches; /* of a step; 0: the trace does not show it */
};

/* Needs matches, meshes and all activity. Linear in communication operations. False when the arena
 * is exhausted. */
bool wl_stage_chains_find(const struct wl_rule_state *d, struct wl_arena *arena,
			  struct wl_stage_chains *ret) WL_MUST_CHECK;

#endif
