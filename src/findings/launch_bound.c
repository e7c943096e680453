#include "findings/rule.h"

static const char *tell(struct wl_docket *d, const struct wl_claim *c)
{
	const char *claim = wl_say_claim(d, c);

	return claim ? wl_say(d, "GPU idle between kernels: the host cannot launch fast enough, %s",
			      claim)
		     : NULL;
}

const struct wl_rule wl_rule_launch_bound = {
	.code = "launch-bound",
	.action = "Batch launches: capture the step in a CUDA graph, or use "
		  "torch.compile(mode=\"reduce-overhead\")",
	.advice = "Fuse kernels, use larger batches, do less host work between launches.",
	.limits = "Host code in gaps of up to 100 us counts as launching; how much of it a CUDA "
		  "graph leaves is not known.",
	.sight.losses = 1U << WL_CAUSE_LAUNCH | 1U << WL_CAUSE_LATENCY,
	.wants = wl_atom_is_launching,
	.min_without_steps = WL_HABIT,
	.tell = tell,
	.evidence = "launch TRACE --sort exposed_launch",
};
