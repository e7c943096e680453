/* SPDX-License-Identifier: MIT */
/*
 * lead.h - the launch lead: how far the host launches ahead of the GPU, step by step.
 *
 * A host that waits for the GPU longer than the GPU waits for launches is fast enough. The blocking
 * call takes away its lead, and a CUDA graph cannot be captured across it.
 */
#ifndef WL_FINDINGS_LEAD_H
#define WL_FINDINGS_LEAD_H

#include "findings/rule.h"

/* The blocking calls with one name in the sample. */
struct wl_waiting {
	uint32_t name; /* a string of the trace; WL_NONE: no such calls */
	uint64_t n;
	wl_ns sum;
	wl_ns busy; /* of that, while the GPU works; set only by wl_waits_every_few() */
};

/* Find the blocking calls with the name of the longest one. True if they occur in most steps and
 * take longer than the claim. Two passes over the API calls. */
bool wl_loses_lead(const struct wl_rule_state *d, const struct wl_claim *claim,
		   struct wl_waiting *ret);

/*
 * Find a name whose blocking calls come after every few kernels (at most 8 on average): with steps
 * or without, no CUDA graph can be captured across them. Of several names, the one in which the
 * host waits longest while the GPU works. The rule must declare WAITS.
 */
bool wl_waits_every_few(const struct wl_rule_state *d, const struct wl_claim *claim,
			struct wl_waiting *ret, double *ret_every);

/* Advice on such calls, for every rule on launching. */
extern const struct wl_advice wl_advice_keep_lead;
extern const struct wl_advice wl_advice_wait_less;

#endif
