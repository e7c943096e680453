/* SPDX-License-Identifier: MIT */
/* usual_step.h - what usual steps of a GPU are like, and claims of what others have above that. */
#ifndef WL_FINDINGS_USUAL_STEP_H
#define WL_FINDINGS_USUAL_STEP_H

#include "findings/rule_state.h"

/* The median of each part over some steps: of an even number the mean of the middle two. */
struct wl_usual_step {
	wl_ns length, compute, loss[WL_N_LOSSES]; /* length 0: there is none of these steps */
	uint32_t n_kernels;
};

/* Of the steps of the sample that are on; is_on and room are by tile. */
struct wl_usual_step wl_usual_step_of(const struct wl_rule_gpu *gpu, const bool *is_on,
				      wl_ns *room);

/*
 * Claim what a step, tile i of GPU g, has more of than usual ones, cause by cause, then compute,
 * together at most what it is longer. Adds what was taken to by_cause, where the last is compute.
 */
void wl_usual_step_claim(struct wl_rule_state *d, size_t g, uint32_t i,
			 const struct wl_usual_step *usual, struct wl_claim *claim,
			 wl_ns by_cause[WL_N_LOSSES + 1]);

#endif
