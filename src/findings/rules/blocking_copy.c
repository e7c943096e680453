/* SPDX-License-Identifier: MIT */
/* blocking_copy.c - a rule: copies in blocking calls, and idle time inside these calls. */
#include "findings/rule.h"
#include "known/calls.h"

static bool wants(const struct wl_atom *atom)
{
	if (atom->loss == WL_LOSS_EXPOSED_COPY)
		return (atom->flags & WL_LOST_TO_BLOCKING) != 0;
	return atom->loss == WL_CAUSE_SYNC && atom->detail && wl_call_copies_blocking(atom->detail);
}

static const char *tell(struct wl_docket *d, const struct wl_claim *c)
{
	const char *claim = wl_say_claim(d, c), *parts = wl_say_parts(d, c, "", "unnamed");

	return claim && parts ? wl_say(d, "Blocking copy calls hold up the host and the GPU: %s%s",
				       claim, parts)
			      : NULL;
}

static const struct wl_advice *advise(const struct wl_docket *d, const struct wl_claim *c)
{
	static const struct wl_advice pinned = {
		"Use cudaMemcpyAsync on a stream of its own",
		"The host memory is pinned already; wait for the copy's event where the data is "
		"needed.",
	};

	(void)d;
	return c->always & WL_LOST_TO_PINNED ? &pinned : NULL;
}

const struct wl_rule wl_rule_blocking_copy = {
	.code = "blocking-copy",
	.action = "Use cudaMemcpyAsync with pinned memory",
	.advice = "Copy on a stream of its own; wait for the copy's event where the data is "
		  "needed.",
	.limits = "Counts the exposed copies and the idle time inside the calls.",
	.sight.losses = 1U << WL_CAUSE_SYNC | 1U << WL_LOSS_EXPOSED_COPY,
	.wants = wants,
	.tell = tell,
	.advise = advise,
	.evidence = "transfers TRACE --sort exposed",
};
