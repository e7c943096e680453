/* SPDX-License-Identifier: MIT */
/* stream_serialisation.c - a rule: exposed communication on a stream that also computes. */
#include <string.h>

#include "derive/comm/match/matches.h"
#include "derive/derived.h"
#include "derive/nvtx/meshes.h"
#include "findings/rule.h"
#include "findings/rules/all_to_all.h"

WL_DECLARE_RULE(stream_serialisation);

static bool wants(const struct wl_atom *atom)
{
	return atom->loss == WL_LOSS_EXPOSED_COMM && (atom->flags & WL_LOST_ON_MIXED);
}

/* Whether ranks are known to be at different stages of a pipeline. */
static bool has_pipeline(const struct wl_rule_state *d)
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

/* " between GPUs 0-1", for the first matched group; "" if there is none. */
static const char *say_between(struct wl_rule_state *d)
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

/* The purpose of a SendRecv is known only from ranges, or if ranks have stages. */
static const char *say_messages(struct wl_rule_state *d, size_t gpu, const char *claim)
{
	const char *between = say_between(d), *range = wl_all_to_all_find(d, gpu);

	if (!between)
		return NULL;
	if (range)
		return wl_say(d,
			      "All-to-all runs on the compute stream" WL_STOP
			      "; it cannot overlap with compute: %s" WL_STOP
			      "; SendRecv%s is launched in %s",
			      claim, between, wl_say_quoted(d, range, "?"));
	if (has_pipeline(d))
		return wl_say(d,
			      "SendRecv%s runs on the compute stream" WL_STOP
			      "; it cannot overlap with compute: %s" WL_STOP
			      "; this is usual for pipeline parallelism",
			      between, claim);
	return wl_say(
		d,
		"SendRecv%s runs on the compute stream" WL_STOP
		"; it cannot overlap with compute: %s" WL_STOP
		"; if it is an all-to-all of sequence parallelism, its result is needed at once",
		between, claim);
}

/* The collective with most of it, or "Communication" for several. */
static const char *what_of(const struct wl_claim *c)
{
	return 2 * c->detail_ns > c->named_of && c->detail ? c->detail : "Communication";
}

static bool is_messages(const struct wl_claim *c)
{
	return strcmp(what_of(c), wl_collective_title(WL_SEND_RECV)) == 0;
}

static const char *describe(struct wl_rule_state *d, const struct wl_claim *c)
{
	const char *claim = wl_say_claim(d, c), *what = what_of(c);

	if (!claim)
		return NULL;
	if (is_messages(c))
		return say_messages(d, wl_claim_gpu(d, c), claim);
	return wl_say(d,
		      "%s runs on the compute stream" WL_STOP
		      "; it cannot overlap with compute: %s" WL_STOP
		      "; this is usual for tensor parallelism",
		      what, claim);
}

/* The work after an all-to-all usually needs its result, and a separate stream alone does not
 * help. */
static const struct wl_advice of_all_to_all = {
	.action = "Start it asynchronously; compute meanwhile",
	.advice = "Compute something that does not need its result. If the next kernel needs it, "
		  "split "
		  "the heads or the batch in two parts: one computes while the other is exchanged.",
	.in = {
		[WL_CUDA] = "call ncclSend and ncclRecv on a second stream, and join it with "
			    "cudaStreamWaitEvent",
		[WL_PYTORCH] = "work = dist.all_to_all_single(out, x, async_op=True), and "
			       "work.wait() "
			       "where out is needed",
		[WL_JAX] = "XLA_FLAGS=--xla_gpu_enable_latency_hiding_scheduler=true",
		[WL_SERVING] = "overlap two half batches with --enable-dbo (vLLM), "
			       "--enable-two-batch-overlap (SGLang)",
	},
};

/* Layers split over GPUs need each result immediately: a separate stream alone does not help. */
static const struct wl_advice of_serving = {
	.action = "Fuse it with compute, or split the batch",
	.advice = "The next kernel needs the result, so that another stream alone does not help: "
		  "make the transfer faster, fuse it with neighbouring kernels, or let one half of "
		  "the batch compute while the other communicates.",
	.in = { [WL_SERVING] = "leave the one-shot all-reduce on: no --disable-custom-all-reduce" },
};

static const struct wl_advice *advise(const struct wl_rule_state *d, const struct wl_claim *c)
{
	if (is_messages(c))
		return wl_all_to_all_find(d, wl_claim_gpu(d, c)) ? &of_all_to_all : NULL;
	return d->frameworks & 1U << WL_SERVING ? &of_serving : NULL;
}

const struct wl_rule wl_rule_stream_serialisation = {
	.code = "stream-serialisation",
	.reach = WL_REACH_LATE,
	.title = "Communication shares a stream with compute",
	.fix = {
		.action = "Use a separate stream, or fuse with compute",
		.advice = "A stream helps if the next kernel does not need the result. If it does, "
			  "fuse communication with neighbouring kernels, or split the batch and "
			  "let "
			  "one half compute while the other communicates.",
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
	.best_place.losses = 1U << WL_LOSS_EXPOSED_COMM,
	.from = WL_FROM(MATCHES) | WL_FROM(MESHES) | WL_FROM(COLLECTIVES) | WL_FROM(LINKS) |
		WL_FROM(FOREST) | WL_FROM(RANGE_NAMES),
	.wants = wants,
	.tell = describe,
	.advise = advise,
	.scenario = "overlap",
	.evidence = { .verb = "overlap", .option = { { "by", "stream" } } },
};
