/* SPDX-License-Identifier: MIT */
/*
 * tiny_reads.c - the host repeatedly reads back a few bytes, a flag or a scalar, and
 * the GPU has nothing to do until it has looked at them. Claims these copies, the idle
 * time in their calls, and what it takes to launch again after them.
 */
#include <string.h>

#include "derive/derived.h"
#include "findings/rule.h"
#include "known/exports/codes.h"

WL_DECLARE_RULE(tiny_reads);

static bool wants(const void *ctx, const struct wl_rule_gpu *gpu, const struct wl_atom *atom)
{
	const bool *has_many = ctx;

	if (!(atom->flags & WL_LOST_TO_READ) || !has_many[gpu->lane->device])
		return false;
	return atom->loss == WL_LOSS_EXPOSED_COPY || atom->loss == WL_CAUSE_SYNC ||
	       wl_atom_is_launching(atom);
}

static const char *name_of(const struct wl_atom *atom)
{
	return atom->loss == WL_LOSS_EXPOSED_COPY ? NULL
	       : atom->loss == WL_CAUSE_SYNC      ? atom->detail
						  : atom->opener;
}

struct reads {
	uint64_t n;
	uint64_t n_called;   /* by the call that is named */
	int64_t least, most; /* bytes */
};

static bool is_called(const struct wl_rule_state *d, size_t copy, const char *name)
{
	const struct wl_trace *trace = d->run->trace;
	const uint32_t *names = wl_api_name(trace);
	uint32_t call =
		name && names ? wl_link_of(d->run->derived->links, WL_OP_MEMCPY, copy) : WL_NONE;

	return call != WL_NONE && names[call] != WL_NONE &&
	       strcmp(wl_str(trace, names[call]), name) == 0;
}

/* call is NULL as long as none is named. of_steps: those that start in the steps that count. */
static void count(const struct wl_rule_state *d, size_t t, const char *call, bool of_steps,
		  struct reads *ret)
{
	const struct wl_rule_gpu *gpu = &d->gpu[t];
	const struct wl_trace *trace = d->run->trace;
	const struct wl_ops ops = wl_trace_ops(trace, WL_F_MEMCPYS);
	const int64_t *bytes = wl_memcpys_bytes(trace);
	const uint8_t *kind = wl_memcpys_kind(trace);
	size_t lo, hi;

	*ret = (struct reads){ .least = INT64_MAX };
	if (!bytes || !kind || !ops.place)
		return;
	wl_ops_on_device(trace, &ops, d->gpu[t].lane->device, &lo, &hi);
	for (size_t i = lo; i < hi; i++) {
		wl_ns start, end;

		if (kind[i] != WL_COPY_D2H || bytes[i] > WL_TINY_READ_BYTES ||
		    !wl_op_clip(trace, d->run->scope, &ops, i, &start, &end) ||
		    (of_steps && (ops.start[i] < gpu->begin || ops.start[i] >= gpu->end)))
			continue;
		ret->n++;
		ret->n_called += is_called(d, i, call);
		ret->least = bytes[i] < ret->least ? bytes[i] : ret->least;
		ret->most = bytes[i] > ret->most ? bytes[i] : ret->most;
	}
}

static const char *describe(struct wl_rule_state *d, const struct wl_claim *c,
			    const struct reads *reads)
{
	const struct wl_rule_gpu *gpu = &d->gpu[wl_claim_gpu(d, c)];
	const char *claim = wl_say_claim(d, c), *n = wl_say_count(d, reads->n);
	const char *where =
		gpu->by_step ? wl_say(d, "steps %u-%u", gpu->first, gpu->last) : "the window";
	/* A call that does not read, such as one that waits for the GPU, has no number of reads. */
	bool is_all = reads->n_called == 0 || reads->n_called == reads->n;
	const char *of = is_all ? "" : wl_say_count(d, reads->n_called);
	const char *call = !c->detail ? ""
			   : is_all   ? wl_say(d, " (%s)", c->detail)
			   : of       ? wl_say(d, " (%s in %s)", of, c->detail)
				      : NULL;
	const char *result = reads->least == reads->most
				     ? wl_say(d, "%lld byte%s", (long long)reads->most,
					      reads->most == 1 ? "" : "s")
				     : wl_say(d, "at most %lld bytes", (long long)reads->most);

	return claim && n && call && result && where
		       ? wl_say(d,
				"The host reads back %s %s times, and the GPU waits" WL_STOP
				"; GPU idle until the next launch: %s" WL_STOP
				"; reads counted in %s%s",
				result, n, claim, where, call)
		       : NULL;
}

static bool apply(const struct wl_rule *rule, struct wl_rule_state *d)
{
	bool *has_many = WL_NEW(d->run->arena, bool, d->run->trace->n_devices);
	struct reads *reads = WL_NEW(d->run->arena, struct reads, d->n_gpus);
	struct wl_claim claim;
	size_t gpu;

	if (!has_many || !reads)
		return false;
	for (size_t t = 0; t < d->n_gpus; t++) {
		count(d, t, NULL, false, &reads[t]);
		has_many[d->gpu[t].lane->device] = reads[t].n >= WL_HABIT;
	}
	if (!wl_rule_state_claim_by(d, wants, has_many, name_of, &claim))
		return false;
	gpu = wl_claim_gpu(d, &claim);
	count(d, gpu, claim.detail, d->gpu[gpu].by_step, &reads[gpu]);
	return wl_rule_state_put(d, rule, &claim, NULL, describe(d, &claim, &reads[gpu]),
				 &rule->evidence);
}

static const char *lets_go(const struct wl_claim *c)
{
	return c->detail;
}

/* As a rule the idle time around the copies is longer than they are. */
static const struct wl_cmdline *evidence_of(const struct wl_rule_state *d, const struct wl_claim *c)
{
	static const struct wl_cmdline idle = {
		.verb = "idle",
		.option = { { "by", "detail" }, { "where", WL_AFTER_CALLS " or detail ~ memcpy" } }
	};

	(void)d;
	return 2 * wl_claim_idle(c) > c->named_of ? &idle : NULL;
}

const struct wl_rule wl_rule_tiny_reads = {
	.code = "tiny-reads",
	.title = "The host repeatedly reads back a few bytes",
	.fix = {
		.action = "Check the result every N launches, or on the GPU",
		.advice = "The GPU can keep running while the host checks an older result.",
		.in = {
			[WL_CUDA] = "a conditional node in a CUDA graph "
				    "(cudaGraphConditionalHandleCreate)",
			[WL_PYTORCH] = "keep the flag on the GPU (torch.where), and call .item() "
				       "every N steps",
			[WL_JAX] = "jax.lax.while_loop tests on the GPU",
		},
	},
	.limits = WL_NEEDS_RESULT,
	.best_place.losses = 1U << WL_CAUSE_SYNC | 1U << WL_LOSS_EXPOSED_COPY,
	.scenario = "tiny-reads",
	.lets_go = lets_go,
	.evidence = { .verb = "transfers", .option = { { "where", "kind = DtoH" } } },
	.evidence_of = evidence_of,
	.apply = apply,
};
