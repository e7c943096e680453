#include "findings/rule.h"

static bool wants(const struct wl_atom *atom)
{
	return atom->loss == WL_CAUSE_ALLOC;
}

static const char *tell(struct wl_docket *d, const struct wl_claim *c)
{
	const char *claim = wl_say_claim(d, c);

	return claim ? wl_say(d,
			      "Memory is allocated or freed inside the loop while the GPU waits: "
			      "%s, mostly in %s",
			      claim, wl_say_detail(d, c->detail, "unnamed calls"))
		     : NULL;
}

const struct wl_rule wl_rule_alloc_in_loop = {
	.code = "alloc-in-loop",
	.action = "Allocate before the loop, or from a pool",
	.advice = "A caching allocator, or cudaMallocAsync with a release threshold, keeps "
		  "what is freed.",
	.limits = "Counts time in which the GPU had nothing to do; an allocation that also delays "
		  "later launches costs more.",
	.sight.losses = 1U << WL_CAUSE_ALLOC,
	.wants = wants,
	.steps_only = true,
	.tell = tell,
	.evidence = "idle TRACE --by detail --where 'cause = alloc'",
};
