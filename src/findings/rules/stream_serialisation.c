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
	.title = "Communication shares a stream with compute",
	.fix = {
		.action = "Give communication its own stream if the next kernel does not need the "
			  "result",
		.advice = "If it does, make communication cheaper: fuse it with its neighbours, "
			  "or split the batch in two halves, of which one computes while the other "
			  "communicates.",
		.in = {
			[WL_CUDA] = "give ncclAllReduce a second stream, and join it with "
				    "cudaStreamWaitEvent",
			[WL_PYTORCH] = "work = dist.all_reduce(x, async_op=True), and work.wait() "
				       "where the result is needed",
			[WL_JAX] = "XLA_FLAGS=--xla_gpu_enable_latency_hiding_scheduler=true",
			[WL_SERVING] = "leave the one-shot all-reduce on: no "
				       "--disable-custom-all-reduce",
		},
	},
	.limits = "Another stream does not help if the next kernel needs the result immediately.",
	.sight.losses = 1U << WL_LOSS_EXPOSED_COMM,
	.wants = wants,
	.tell = tell,
	.scenario = "overlap",
	.evidence = "overlap TRACE --by stream",
};
