/* SPDX-License-Identifier: MIT */
/*
 * slow_step.h - describes the step that stands out most, in words.
 */
#ifndef WL_FINDINGS_SLOW_STEP_H
#define WL_FINDINGS_SLOW_STEP_H

#include "derive/idle/idle_before.h"
#include "findings/rule_state.h"
#include "findings/rules/step_loads.h"

/* The slow steps of a GPU: the one with the largest excess, and the excess of all over usual
 * steps. */
struct wl_slow_step {
	size_t n;       /* slow steps; 0: none, and the rest is not valid */
	bool has_first; /* step 0 is among them, which is not in the sample */
	bool is_start;  /* they are the first steps of the run */
	uint32_t kernels, usual_kernels;
	struct wl_step_loads loads; /* loading calls that only they make */
	uint32_t iter, tile;
	uint32_t copies; /* tile of the slow step with most exposed copies */
	wl_ns excess;
	uint32_t last;                   /* the last slow step so far; valid if n > 0 */
	wl_ns last_excess;               /* of that */
	struct wl_delayed delayed;       /* the step that this one delays */
	wl_ns by_cause[WL_N_LOSSES + 1]; /* the last entry is compute */
	wl_ns operators;                 /* of that, host code in framework operators */
};

/*
 * One sentence on the claim's GPU. A single step is reported with its own time, several with their
 * sum. NULL when memory is exhausted, as below.
 */
const char *wl_slow_step_tell(struct wl_rule_state *d, const struct wl_claim *claim,
			      const struct wl_slow_step *step);

/* "mostly OS calls (`fsync`)", or "largest part: host code (40.0%)", for a GPU. */
const char *wl_slow_step_cause(struct wl_rule_state *d, size_t gpu,
			       const struct wl_slow_step *step);

const char *wl_slow_step_action(struct wl_rule_state *d, const struct wl_slow_step *step);

/* Set the evidence command: a verb chosen by the cause of the excess, on the device, in the step's
 * iteration. */
void wl_slow_step_show(const struct wl_rule_state *d, const struct wl_slow_step *step,
		       uint32_t device, struct wl_claim *claim);

/* Advice on what can delay a step, by the cause of its excess. Never NULL. */
const char *wl_slow_step_advice(const struct wl_slow_step *step);

#endif
