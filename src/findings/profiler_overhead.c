#include "findings/rule.h"

static bool wants(const struct wl_atom *atom)
{
	return atom->loss == WL_CAUSE_PROFILER;
}

static const char *tell(struct wl_docket *d, const struct wl_claim *c)
{
	const char *claim = wl_say_claim(d, c);

	return claim ? wl_say(d, "The profiler itself kept the GPU waiting %s, most of it for %s",
			      claim, wl_say_detail(d, c->detail, "its own work"))
		     : NULL;
}

const struct wl_rule wl_rule_profiler_overhead = {
	.code = "profiler-overhead",
	.action = "Trace less",
	.advice = "Fewer --trace kinds, no --cuda-memory-usage or backtraces, a shorter "
		  "capture range; larger CUDA trace buffers flush less often. Without the "
		  "profiler this time is not lost.",
	.limits = "Overhead that the profiler does not report itself, such as slower launches, is "
		  "not in it.",
	.sight.losses = 1U << WL_CAUSE_PROFILER,
	.wants = wants,
	.tell = tell,
	.evidence = "idle TRACE --by detail --where 'cause = profiler'",
};
