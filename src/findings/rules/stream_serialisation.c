/* SPDX-License-Identifier: MIT */
/* stream_serialisation.c - a rule: exposed communication on a stream that also computes. */
#include <string.h>

#include "findings/rule.h"

static bool wants(const struct wl_atom *atom)
{
	return atom->loss == WL_LOSS_EXPOSED_COMM && (atom->flags & WL_LOST_ON_MIXED);
}

static const char *tell(struct wl_docket *d, const struct wl_claim *c)
{
	const char *claim = wl_say_claim(d, c);
	const char *what = 2 * c->detail_ns > c->all && c->detail ? c->detail : "Communication";

	return claim ? wl_say(d,
			      "%s runs on the compute stream, so it cannot overlap (usual for "
			      "%s parallelism): %s",
			      what, strcmp(what, "SendRecv") == 0 ? "pipeline" : "tensor", claim)
		     : NULL;
}

const struct wl_rule wl_rule_stream_serialisation = {
	.code = "stream-serialisation",
	.action = "If the next kernel does not need the result, give it a stream of its own",
	.advice = "Where it is expected, make it cheaper: use a faster all-reduce (one-shot, "
		  "symmetric memory), fuse it with its neighbours, or split the batch in two so "
		  "that one half computes while the other communicates.",
	.limits = "Where the next kernel needs the result at once, another stream does not help.",
	.sight.losses = 1U << WL_LOSS_EXPOSED_COMM,
	.wants = wants,
	.tell = tell,
	.evidence = "overlap TRACE --by stream",
};
