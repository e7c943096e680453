/* SPDX-License-Identifier: MIT */
/*
 * slow_step.h - the step that stands out most, in words.
 */
#ifndef WL_FINDINGS_SLOW_STEP_H
#define WL_FINDINGS_SLOW_STEP_H

#include "derive/idle/idle_before.h"
#include "findings/rule_state.h"
#include "findings/rules/step_loads.h"

/* Of a GPU: the one with the largest excess, and what all have more of than usual steps. */
struct wl_slow_step {
	size_t n;       /* slow steps; 0: there is none, and the rest is not valid */
	bool has_first; /* the first one is among them, which is not in the sample */
	bool is_start;  /* they are the first ones of the run */
	uint32_t kernels, usual_kernels;
	struct wl_step_loads loads; /* what they alone call */
	uint32_t iter, tile;
	uint32_t copies; /* tile of the one with most exposed copies */
	wl_ns excess;
	uint32_t last;                   /* the one before, in the order of time, if n */
	wl_ns last_excess;               /* of that */
	struct wl_delayed delayed;       /* the step that this holds up */
	wl_ns by_cause[WL_N_LOSSES + 1]; /* the last is compute */
	wl_ns operators;                 /* of that, host code in operators of a framework */
};

/*
 * One sentence; the GPU is the claim's. A single step is reported once with its own time,
 * several with their sum. NULL when memory is exhausted, as below.
 */
const char *wl_slow_step_tell(struct wl_rule_state *d, const struct wl_claim *claim,
			      const struct wl_slow_step *step);

/* "mostly OS calls (`fsync`)", or "largest part: host code (40.0%)"; of a GPU. */
const char *wl_slow_step_cause(struct wl_rule_state *d, size_t gpu,
			       const struct wl_slow_step *step);

const char *wl_slow_step_action(struct wl_rule_state *d, const struct wl_slow_step *step);

/* Set what shows the step: a verb by what it has more of, on the device, in its iteration. */
void wl_slow_step_show(const struct wl_rule_state *d, const struct wl_slow_step *step,
		       uint32_t device, struct wl_claim *claim);

/* What can hold up a step, by what it has more of than the others. Never NULL. */
const char *wl_slow_step_advice(const struct wl_slow_step *step);

#endif
