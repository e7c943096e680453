/* SPDX-License-Identifier: MIT */
/* blocking_copy.c - a rule: copies in blocking calls, and idle time inside these calls. */
#include "findings/rule.h"
#include "known/calls/calls.h"

WL_DECLARE_RULE(blocking_copy);

static bool wants(const struct wl_atom *atom)
{
	if (atom->loss == WL_LOSS_EXPOSED_COPY)
		return (atom->flags & WL_LOST_TO_BLOCKING) != 0;
	return atom->loss == WL_CAUSE_SYNC && atom->detail && wl_call_copies_blocking(atom->detail);
}

static const char *describe(struct wl_rule_state *d, const struct wl_claim *c)
{
	const char *claim = wl_say_claim(d, c), *parts = wl_say_parts(d, c, "", "unnamed");

	return claim && parts ? wl_say(d, "Blocking copy calls stall host and GPU" WL_STOP ": %s%s",
				       claim, parts)
			      : NULL;
}

static const struct wl_advice *advise(const struct wl_rule_state *d, const struct wl_claim *c)
{
	static const struct wl_advice pinned = {
		.action = "Copy asynchronously, on a second stream",
		.advice = "The host memory is pinned already; wait for the copy's event where the "
			  "data is needed.",
		.in = {
			[WL_CUDA] = "cudaMemcpyAsync, then cudaStreamWaitEvent",
			[WL_PYTORCH] = "x.to(device, non_blocking=True)",
		},
	};

	(void)d;
	return c->always & WL_LOST_TO_PINNED ? &pinned : NULL;
}

const struct wl_rule wl_rule_blocking_copy = {
	.code = "blocking-copy",
	.title = "Blocking copy calls stall host and GPU",
	.fix = {
		.action = "Copy asynchronously from pinned memory",
		.advice = "Use a second stream, and wait for the copy's event where the data is "
			  "needed.",
		.in = {
			[WL_CUDA] = "cudaHostAlloc, cudaMemcpyAsync, then cudaStreamWaitEvent",
			[WL_PYTORCH] = "x.pin_memory().to(device, non_blocking=True)",
			[WL_JAX] = "jax.device_put(x) before the step that reads it; "
				   "x.copy_to_host_async() for results",
		},
	},
	.limits = "Counts the exposed copies and the idle time inside the calls.",
	.best_place.losses = 1U << WL_CAUSE_SYNC | 1U << WL_LOSS_EXPOSED_COPY,
	.wants = wants,
	.tell = describe,
	.advise = advise,
	.scenario = "blocking-copy",
	.evidence = { .verb = "transfers", .option = { { "sort", "exposed" } } },
};
