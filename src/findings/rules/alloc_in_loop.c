/* SPDX-License-Identifier: MIT */
/* alloc_in_loop.c - a rule: idle time while the host allocates or frees memory. */
#include "findings/rule.h"

WL_DECLARE_RULE(alloc_in_loop);

static bool wants(const struct wl_atom *atom)
{
	return atom->loss == WL_CAUSE_ALLOC;
}

static const char *describe(struct wl_rule_state *d, const struct wl_claim *c)
{
	const char *claim = wl_say_claim(d, c),
		   *parts = wl_say_parts(d, c, "in ", "in unnamed calls");

	return claim && parts ? wl_say(d,
				       "GPU idle while the host allocates or frees memory" WL_STOP
				       ": %s%s",
				       claim, parts)
			      : NULL;
}

const struct wl_rule wl_rule_alloc_in_loop = {
	.code = "alloc-in-loop",
	.title = "Memory is allocated or freed in the loop",
	.fix = {
		.action = "Allocate before the loop, or use a memory pool",
		.advice = "Reuse buffers; a memory pool keeps freed memory.",
		.in = {
			[WL_CUDA] = "cudaMallocAsync, with cudaMemPoolAttrReleaseThreshold set to "
				    "UINT64_MAX",
			[WL_PYTORCH] = "remove torch.cuda.empty_cache() from the loop; set "
				       "PYTORCH_CUDA_ALLOC_CONF=expandable_segments:True",
			[WL_JAX] = "leave XLA_PYTHON_CLIENT_PREALLOCATE on; do not set "
				   "XLA_PYTHON_CLIENT_ALLOCATOR=platform",
		},
	},
	.limits = "Only idle time is counted; an allocation that also delays later launches costs "
		  "more.",
	.best_place.losses = 1U << WL_CAUSE_ALLOC,
	.wants = wants,
	.min_without_steps = WL_HABIT,
	.tell = describe,
	.scenario = "alloc-in-loop",
	.evidence = { .verb = "idle", .option = { { "by", "detail" }, { "where", "cause = alloc" } } },
};
