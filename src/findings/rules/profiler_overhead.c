/* SPDX-License-Identifier: MIT */
/* profiler_overhead.c - a rule: idle time that the profiler itself causes. */
#include "findings/rule.h"

WL_DECLARE_RULE(profiler_overhead);

static bool wants(const struct wl_atom *atom)
{
	return atom->loss == WL_CAUSE_PROFILER;
}

static const char *describe(struct wl_rule_state *d, const struct wl_claim *c)
{
	const char *claim = wl_say_claim(d, c), *parts = wl_say_parts(d, c, "in ", "unnamed");

	return claim && parts ? wl_say(d, "Profiler overhead leaves the GPU idle" WL_STOP ": %s%s",
				       claim, parts)
			      : NULL;
}

const struct wl_rule wl_rule_profiler_overhead = {
	.code = "profiler-overhead",
	.title = "Profiler overhead leaves the GPU idle",
	.fix.action = "Record less: fewer --trace kinds, shorter range",
	.fix.advice = "Drop --cuda-memory-usage and backtraces. Without the profiler this time is "
		      "not lost.",
	.limits = "Overhead that the profiler does not report, such as slower launches, is not "
		  "counted.",
	.best_place.losses = 1U << WL_CAUSE_PROFILER,
	.wants = wants,
	.tell = describe,
	.unreplayed = "profiler overhead is not part of the replay",
	.evidence = { .verb = "idle",
		      .option = { { "by", "detail" }, { "where", "cause = profiler" } } },
};
