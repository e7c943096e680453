/* SPDX-License-Identifier: MIT */
/*
 * lead.h - the launch lead: how far the host launches ahead of the GPU, step by step.
 *
 * A host that waits for the GPU for longer than the GPU waits for launches is fast enough: the
 * blocking call takes its lead away, and a CUDA graph cannot be captured across it.
 */
#ifndef WL_FINDINGS_LEAD_H
#define WL_FINDINGS_LEAD_H

#include "findings/rule.h"

/* The blocking calls of one name in the sample. */
struct wl_waiting {
	uint32_t name; /* a string of the trace; WL_NONE: there are none */
	uint64_t n;
	wl_ns sum;
	wl_ns busy; /* of that: the GPU works; of wl_waits_every_few() only */
};

/* Those of the longest call of all: in most steps, and for longer than the claim. Two passes over
 * the API calls. */
bool wl_loses_lead(const struct wl_rule_state *d, const struct wl_claim *claim,
		   struct wl_waiting *ret);

/*
 * Blocking calls of a name of which one comes after every few kernels (at most 8 on average):
 * whether there are steps or not, no CUDA graph can be captured across it. Of several names that in
 * which the host waits longest while the GPU works. The rule declares WAITS.
 */
bool wl_waits_every_few(const struct wl_rule_state *d, const struct wl_claim *claim,
			struct wl_waiting *ret, double *ret_every);

/* What to do about it, for every rule on launching. */
extern const struct wl_advice wl_advice_keep_lead;
extern const struct wl_advice wl_advice_wait_less;

#endif
