/* SPDX-License-Identifier: MIT */
/* host_callback.c - a rule: idle time while streams wait for host functions. */
#include "findings/rule.h"

WL_DECLARE_RULE(host_callback);

static bool wants(const struct wl_atom *atom)
{
	return atom->loss == WL_CAUSE_CALLBACK;
}

static const char *describe(struct wl_rule_state *d, const struct wl_claim *c)
{
	const char *claim = wl_say_claim(d, c),
		   *parts = wl_say_parts(d, c, "in ", "in unnamed functions");

	return claim && parts
		       ? wl_say(d,
				"GPU idle while streams wait for host functions" WL_STOP ": %s%s",
				claim, parts)
		       : NULL;
}

const struct wl_rule wl_rule_host_callback = {
	.code = "host-callback",
	.title = "Streams wait for host functions",
	.fix = {
		.action = "Move the host function to a stream of its own, or shorten it",
		.advice = "A function of cudaLaunchHostFunc, or a host node of a graph, holds up "
			  "all that comes after it on its stream. Let it only signal a thread.",
		.in = {
			[WL_CUDA] = "record an event, and launch the function on a second stream "
				    "after cudaStreamWaitEvent",
			[WL_JAX] = "keep jax.pure_callback and io_callback out of the step",
			[WL_SERVING] = "keep sampling and experts on the CPU off the stream that "
				       "decodes",
		},
	},
	.limits = "Only idle time is counted; a function that also delays other streams costs more.",
	.best_place.losses = 1U << WL_CAUSE_CALLBACK,
	.wants = wants,
	.tell = describe,
	.scenario = "host-callback",
	.evidence = { .verb = "idle",
		      .option = { { "by", "detail" }, { "where", "cause = callback" } } },
};
