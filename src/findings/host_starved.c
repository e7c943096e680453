#include "findings/rule.h"

static bool wants(const struct wl_atom *atom)
{
	return atom->loss == WL_CAUSE_HOST || atom->loss == WL_CAUSE_OS ||
	       atom->loss == WL_CAUSE_API;
}

static const char *tell(struct wl_docket *d, const struct wl_claim *c)
{
	const char *claim = wl_say_claim(d, c);

	return claim ? wl_say(d,
			      "The GPU waits for the host, which is busy elsewhere: %s, mostly in "
			      "%s",
			      claim, wl_say_detail(d, c->detail, "host code without a range"))
		     : NULL;
}

const struct wl_rule wl_rule_host_starved = {
	.code = "host-starved",
	.action = "Prepare the next step while the GPU works",
	.advice = "More data loader workers and prefetching, work moved to another thread, "
		  "less work between steps.",
	.limits = "Host code without NVTX ranges has no name; without OS runtime calls in the "
		  "trace, waiting and working look alike.",
	.sight.losses = 1U << WL_CAUSE_HOST,
	.wants = wants,
	.tell = tell,
	.evidence = "idle TRACE --by detail --where 'cause = host or cause = os or cause = api'",
};
