#include "findings/rule.h"

static bool wants(const struct wl_atom *atom)
{
	switch (atom->loss) {
	case WL_CAUSE_LAUNCH:
	case WL_CAUSE_LATENCY:
		return true;
	case WL_CAUSE_API:
	case WL_CAUSE_OS:
	case WL_CAUSE_HOST:
		return (atom->flags & WL_LOST_IN_SHORT) != 0;
	default:
		return false;
	}
}

static const char *tell(struct wl_docket *d, const struct wl_claim *c)
{
	const char *claim = wl_say_claim(d, c);

	return claim ? wl_say(d, "The GPU is done before the host has launched the next kernel: %s",
			      claim)
		     : NULL;
}

const struct wl_rule wl_rule_launch_bound = {
	.code = "launch-bound",
	.action = "Launch less, or ahead",
	.advice = "CUDA graphs, torch.compile, fused kernels, larger batches; less host "
		  "work between launches.",
	.limits = "Host code in gaps of up to 100 us counts as launching; how much a CUDA graph "
		  "leaves of it is not known.",
	.sight.losses = 1U << WL_CAUSE_LAUNCH | 1U << WL_CAUSE_LATENCY,
	.wants = wants,
	.tell = tell,
	.evidence = "launch TRACE --sort exposed_launch",
};
