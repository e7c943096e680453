#include "findings/rule.h"

static bool wants(const struct wl_atom *atom)
{
	return atom->loss == WL_LOSS_EXPOSED_COPY;
}

static const char *tell(struct wl_docket *d, const struct wl_claim *c)
{
	const char *claim = wl_say_claim(d, c);

	return claim ? wl_say(d, "Copies that no kernel hides hold the GPU: %s, mostly %s", claim,
			      wl_say_detail(d, c->detail, "unknown"))
		     : NULL;
}

const struct wl_rule wl_rule_exposed_copy = {
	.code = "exposed-copy",
	.action = "Copy a step ahead, on a stream of its own",
	.advice = "From pinned memory; send less, or keep it on the GPU.",
	.limits = "Whether the next kernel needs the data at once cannot be seen.",
	.sight.losses = 1U << WL_LOSS_EXPOSED_COPY,
	.wants = wants,
	.tell = tell,
	.evidence = "transfers TRACE --sort exposed",
};
