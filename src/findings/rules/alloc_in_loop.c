/* SPDX-License-Identifier: MIT */
/* alloc_in_loop.c - a rule: idle time while the host allocates or frees memory. */
#include "findings/rule.h"

static bool wants(const struct wl_atom *atom)
{
	return atom->loss == WL_CAUSE_ALLOC;
}

static const char *tell(struct wl_docket *d, const struct wl_claim *c)
{
	const char *claim = wl_say_claim(d, c),
		   *parts = wl_say_parts(d, c, "in ", "in unnamed calls");

	return claim && parts
		       ? wl_say(d, "GPU idle while the host allocates or frees memory %s: %s%s",
				d->gpu[wl_claim_gpu(d, c)].by_step ? "in the loop"
								   : "again and again",
				claim, parts)
		       : NULL;
}

const struct wl_rule wl_rule_alloc_in_loop = {
	.code = "alloc-in-loop",
	.action = "Allocate before the loop, or from a memory pool",
	.advice = "Use a caching allocator, or cudaMallocAsync with a release threshold, which "
		  "keep what is freed.",
	.limits = "Only idle time is counted; an allocation that also delays later launches costs "
		  "more.",
	.sight.losses = 1U << WL_CAUSE_ALLOC,
	.wants = wants,
	.min_without_steps = WL_HABIT,
	.tell = tell,
	.evidence = "idle TRACE --by detail --where 'cause = alloc'",
};
