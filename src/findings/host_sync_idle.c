#include "findings/rule.h"

static bool wants(const struct wl_atom *atom)
{
	return atom->loss == WL_CAUSE_SYNC;
}

static const char *tell(struct wl_docket *d, const struct wl_claim *c)
{
	const char *claim = wl_say_claim(d, c);

	return claim ? wl_say(d,
			      "The host waits in a blocking call while the GPU has nothing to do: "
			      "%s, mostly in %s",
			      claim, wl_say_detail(d, c->detail, "unnamed calls"))
		     : NULL;
}

const struct wl_rule wl_rule_host_sync_idle = {
	.code = "host-sync-idle",
	.action = "Remove the wait, or queue the next work before it",
	.advice = "Read results a step later, keep scalars on the GPU, replace .item() and "
		  ".cpu() in the loop, wait for an event instead of the device.",
	.limits = "Waits during which the GPU works are not counted; what the host does after the "
		  "wait is counted elsewhere.",
	.sight.losses = 1U << WL_CAUSE_SYNC,
	.wants = wants,
	.tell = tell,
	.evidence = "sync TRACE --sort gpu_idle",
};
