/* SPDX-License-Identifier: MIT */
/* stream_serialisation.c - a rule: exposed communication on a stream that also computes. */
#include <string.h>

#include "derive/comm/match/matches.h"
#include "derive/derived.h"
#include "derive/nvtx/meshes.h"
#include "findings/rule.h"

WL_DECLARE_RULE(stream_serialisation);

static bool wants(const struct wl_atom *atom)
{
	return atom->loss == WL_LOSS_EXPOSED_COMM && (atom->flags & WL_LOST_ON_MIXED);
}

/* Ranks say that they are at different stages of a pipeline. */
static bool has_pipeline(const struct wl_docket *d)
{
	const struct wl_meshes *meshes = d->run->derived->meshes;
	int64_t first = -1;

	for (size_t i = 0; meshes && i < d->run->trace->n_processes; i++) {
		int64_t stage = meshes->of[i].at[WL_AXIS_PP];

		if (stage >= 0 && first >= 0 && stage != first)
			return true;
		first = stage >= 0 ? stage : first;
	}
	return false;
}

/* " between GPUs 0-1": of the first group that is matched; "" where none is. */
static const char *say_between(struct wl_docket *d)
{
	const struct wl_matches *m = d->run->derived->matches;
	const char *group;

	for (size_t i = 0; m && i < m->n_sets; i++) {
		const struct wl_comm_queue *q = &m->queues.queue[m->set[i].queue[0]];

		if (q->type != WL_SEND_RECV || wl_comm_is_mpi(q))
			continue;
		group = wl_comm_group_name(m, m->set[i].group, d->run->arena);
		return group ? wl_say(d, " between GPUs %s", group) : NULL;
	}
	return "";
}

/* What a SendRecv is for is known only where ranks have stages. */
static const char *say_messages(struct wl_docket *d, const char *claim)
{
	const char *between = say_between(d);

	if (!between)
		return NULL;
	if (has_pipeline(d))
		return wl_say(d,
			      "SendRecv%s runs on the compute stream" WL_STOP
			      ", so it cannot overlap (usual "
			      "for pipeline parallelism)" WL_STOP ": %s",
			      between, claim);
	return wl_say(d,
		      "SendRecv%s runs on the compute stream" WL_STOP
		      ", so it cannot overlap" WL_STOP ": %s" WL_STOP "; if it is an "
		      "all-to-all of sequence parallelism, its result is needed at once",
		      between, claim);
}

static const char *tell(struct wl_docket *d, const struct wl_claim *c)
{
	const char *claim = wl_say_claim(d, c);
	const char *what =
		2 * c->detail_ns > c->named_of && c->detail ? c->detail : "Communication";

	if (!claim)
		return NULL;
	if (strcmp(what, "SendRecv") == 0)
		return say_messages(d, claim);
	return wl_say(d,
		      "%s runs on the compute stream" WL_STOP
		      ", so it cannot overlap (usual for tensor "
		      "parallelism)" WL_STOP ": %s",
		      what, claim);
}

const struct wl_rule wl_rule_stream_serialisation = {
	.code = "stream-serialisation",
	.reach = WL_REACH_LATE,
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
	.from = WL_FROM(MATCHES) | WL_FROM(MESHES),
	.wants = wants,
	.tell = tell,
	.scenario = "overlap",
	.evidence = { .verb = "overlap", .option = { { "by", "stream" } } },
};
