#include "findings/rule.h"

static bool wants(const struct wl_atom *atom)
{
	return atom->loss == WL_LOSS_EXPOSED_COMM && (atom->flags & WL_LOST_ON_MIXED);
}

static const char *tell(struct wl_docket *d, const struct wl_claim *c)
{
	const char *claim = wl_say_claim(d, c);

	return claim ? wl_say(d,
			      "Communication runs on a stream that also computes, so nothing can "
			      "hide it: %s, mostly %s in %s",
			      claim, wl_say_detail(d, c->detail, "unnamed"),
			      wl_say_detail(d, c->stage, "(none)"))
		     : NULL;
}

const struct wl_rule wl_rule_stream_serialisation = {
	.code = "stream-serialisation",
	.action = "Put communication on a stream of its own",
	.advice = "Wait for its event only where the result is needed.",
	.limits = "Where the next kernel needs the result at once, another stream does not help.",
	.sight.losses = 1U << WL_LOSS_EXPOSED_COMM,
	.wants = wants,
	.tell = tell,
	.evidence = "streams TRACE --where 'class = mixed'",
};
