#include "facts/calls.h"
#include "findings/rule.h"

static bool wants(const struct wl_atom *atom)
{
	if (atom->loss == WL_LOSS_EXPOSED_COPY)
		return (atom->flags & WL_LOST_TO_BLOCKING) != 0;
	return atom->loss == WL_CAUSE_SYNC && atom->detail && wl_call_copies_blocking(atom->detail);
}

static const char *tell(struct wl_docket *d, const struct wl_claim *c)
{
	const char *claim = wl_say_claim(d, c);

	return claim ? wl_say(d, "Copy calls that block hold up host and GPU: %s, mostly %s", claim,
			      wl_say_detail(d, c->detail, "unnamed"))
		     : NULL;
}

const struct wl_rule wl_rule_blocking_copy = {
	.code = "blocking-copy",
	.action = "Use cudaMemcpyAsync from pinned memory",
	.advice = "On a stream of its own; wait for its event where the data is needed.",
	.limits = "Counts the copies that nothing hides and the idle time inside the calls.",
	.sight.losses = 1U << WL_CAUSE_SYNC | 1U << WL_LOSS_EXPOSED_COPY,
	.wants = wants,
	.tell = tell,
	.evidence = "transfers TRACE --sort exposed",
};
