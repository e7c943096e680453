/* SPDX-License-Identifier: MIT */
/*
 * pipeline_bubble.c - a rule: the stages of a pipeline wait while it fills and drains.
 *
 * If each of S stages takes equally long for each of M microbatches, it waits S - 1 times as long
 * in each step. The bubble is the shortest wait of the stages, but no more than this formula gives;
 * longer waits have other reasons. Twice as many microbatches of half the size, or two interleaved
 * stages per GPU, halve the bubble: that half is claimed.
 */
#include "base/memory/bound.h"
#include "base/text/units.h"
#include "derive/comm/match/matches.h"
#include "derive/derived.h"
#include "findings/rule.h"
#include "findings/rules/exposed_waits.h"
#include "findings/rules/stage_chains.h"

WL_DECLARE_RULE(pipeline_bubble);

struct bubbling {
	struct wl_rule_state *d;
	struct wl_arena *scratch;
	struct wl_stage_chains chains;
	/* By place in the chains, then by tile. */
	wl_ns **waits;
	wl_ns **most; /* to claim */
	wl_ns all;    /* bubble in the sample of the chain that waits most */
	wl_ns length; /* sample of that chain's first stage */
	size_t n_steps;
};

static const struct wl_rule_gpu *gpu_at(const struct bubbling *b, size_t i)
{
	return &b->d->gpu[b->chains.gpu[i]];
}

/* Waits in a tile are capped at its exposed communication. */
static bool find_waits(struct bubbling *b, size_t i)
{
	const struct wl_ledger_lane *lane = gpu_at(b, i)->lane;
	struct wl_exposed_waits waits;

	b->waits[i] = WL_NEW(b->scratch, wl_ns, lane->n_tiles);
	b->most[i] = WL_NEW(b->scratch, wl_ns, lane->n_tiles);
	if (!b->waits[i] || !b->most[i] ||
	    !wl_exposed_waits_find(b->d, b->chains.gpu[i], b->scratch, &waits))
		return false;
	for (size_t k = 0; k < lane->n_tiles; k++) {
		wl_ns sum = 0, exposed = lane->tile[k].loss[WL_LOSS_EXPOSED_COMM];

		for (size_t c = 0; c < WL_N_COLLECTIVES; c++)
			sum += waits.of[c] ? waits.of[c][k] : 0;
		b->waits[i][k] = sum < exposed ? sum : exposed;
	}
	return true;
}

/* The tile of a step in a sample; WL_NONE if it is not there. */
static uint32_t tile_of(const struct wl_rule_gpu *gpu, uint32_t step)
{
	const struct wl_ledger_lane *lane = gpu->lane;
	size_t i = WL_BELOW_BY(wl_tile, iter, lane->tile, lane->n_tiles, step);

	return i < lane->n_tiles && lane->tile[i].iter == step && gpu->in_sample[i] ? (uint32_t)i
										    : WL_NONE;
}

/* The shortest wait of a chain's stages in a step, and their mean compute. */
struct step_of_chain {
	bool is_there; /* on all stages */
	wl_ns least, compute;
};

static struct step_of_chain step_of(const struct bubbling *b, size_t lo, uint32_t step)
{
	struct step_of_chain ret = { .is_there = true, .least = INT64_MAX };

	for (size_t i = lo; i < lo + b->chains.n_stages; i++) {
		uint32_t tile = tile_of(gpu_at(b, i), step);

		if (tile == WL_NONE)
			return (struct step_of_chain){ .is_there = false };
		if (b->waits[i][tile] < ret.least)
			ret.least = b->waits[i][tile];
		ret.compute += gpu_at(b, i)->lane->tile[tile].compute;
	}
	ret.compute /= (wl_ns)b->chains.n_stages;
	return ret;
}

/* The bubble of a step, capped by the formula if the microbatches are known. */
static wl_ns bubble_of(const struct bubbling *b, const struct step_of_chain *s)
{
	wl_ns times = (wl_ns)b->chains.n_stages - 1, most;

	if (b->chains.microbatches == 0)
		return s->least;
	most = s->compute / b->chains.microbatches * times;
	return s->least < most ? s->least : most;
}

/* Whether the chains wait at least half of what the formula gives: else they use another
 * schedule. */
static bool is_as_counted(const struct bubbling *b)
{
	wl_ns least = 0, most = 0;

	for (size_t lo = 0; lo < b->chains.n * b->chains.n_stages; lo += b->chains.n_stages) {
		const struct wl_rule_gpu *gpu = gpu_at(b, lo);

		for (uint32_t step = gpu->first; step <= gpu->last; step++) {
			struct step_of_chain s = step_of(b, lo, step);

			if (!s.is_there)
				continue;
			least += s.least;
			most += s.compute / b->chains.microbatches *
				((wl_ns)b->chains.n_stages - 1);
		}
	}
	return 2 * least >= most;
}

static void share_out(struct bubbling *b, size_t lo)
{
	const struct wl_rule_gpu *gpu = gpu_at(b, lo);
	wl_ns all = 0;

	for (uint32_t step = gpu->first; step <= gpu->last; step++) {
		struct step_of_chain s = step_of(b, lo, step);
		wl_ns bubble = s.is_there ? bubble_of(b, &s) : 0;

		for (size_t i = lo; s.is_there && i < lo + b->chains.n_stages; i++)
			b->most[i][tile_of(gpu_at(b, i), step)] = bubble / 2;
		all += bubble;
	}
	if (all <= b->all)
		return;
	b->all = all;
	b->length = gpu->length;
	b->n_steps = gpu->n_steps;
}

static bool claim_all(struct bubbling *b, struct wl_claim *claim)
{
	if (!wl_claim_init(b->d, claim))
		return false;
	for (size_t i = 0; i < b->chains.n * b->chains.n_stages; i++) {
		if (!wl_exposed_waits_claim(b->d, b->chains.gpu[i], b->most[i], claim))
			return false;
	}
	b->d->has_bubble = true;
	return true;
}

static const char *say(const struct bubbling *b)
{
	size_t stages = b->chains.n_stages;
	uint32_t m = b->chains.microbatches;
	char wait[WL_UNITS_BUF], share[WL_UNITS_BUF], formula[WL_UNITS_BUF];

	(void)wl_fmt_ns(wait, b->all / (wl_ns)b->n_steps, WL_UNIT_AUTO);
	(void)wl_fmt_share(share, (double)b->all / (double)b->length);
	if (m == 0)
		return wl_say(
			b->d,
			"Pipeline bubble: %zu stages wait for each other" WL_STOP
			"; each stage waits at least %s of a step (%s), and the trace does not "
			"show how many microbatches a step has",
			stages, wait, share);
	(void)wl_fmt_share(formula, (double)(stages - 1) / (double)(m + stages - 1));
	return wl_say(
		b->d,
		"Pipeline bubble: %zu stages and %u microbatch%s per step" WL_STOP
		"; fill and drain are %s of a step of equal stages, (%zu-1)/(%u+%zu-1); each stage "
		"waits at least %s (%s)",
		stages, m, m == 1 ? "" : "es", formula, stages, m, stages, wait, share);
}

static bool find(const struct wl_rule *rule, struct bubbling *b)
{
	static const struct wl_cmdline ranks = { .verb = "ranks" };
	size_t n = b->chains.n * b->chains.n_stages;
	struct wl_claim claim;

	b->waits = WL_NEW(b->scratch, wl_ns *, n);
	b->most = WL_NEW(b->scratch, wl_ns *, n);
	if (!b->waits || !b->most)
		return false;
	for (size_t i = 0; i < n; i++) {
		if (!find_waits(b, i))
			return false;
	}
	if (b->chains.microbatches && !is_as_counted(b))
		b->chains.microbatches = 0;
	for (size_t lo = 0; lo < n; lo += b->chains.n_stages)
		share_out(b, lo);
	if (b->all == 0)
		return true;
	return claim_all(b, &claim) &&
	       wl_rule_state_put(b->d, rule, &claim, "pipeline", say(b), &ranks);
}

static bool apply(const struct wl_rule *rule, struct wl_rule_state *d)
{
	struct wl_arena scratch;
	struct bubbling b = { .d = d, .scratch = &scratch };
	bool ok;

	if (d->run->derived->matches->n == 0 || d->n_gpus < 2)
		return true;
	wl_arena_init_child(&scratch, d->run->arena);
	ok = wl_stage_chains_find(d, &scratch, &b.chains) && (b.chains.n == 0 || find(rule, &b));
	wl_arena_release(&scratch);
	return ok;
}

const struct wl_rule wl_rule_pipeline_bubble = {
	.code = "pipeline-bubble",
	.reach = WL_REACH_LATE,
	.title = "Stages wait while the pipeline fills and drains",
	.fix = {
		.action = "Use more microbatches, or interleave stages",
		.advice = "Twice as many microbatches of half the size, or two stages of half the "
			  "layers per GPU, halve the bubble. Smaller microbatches use the GPU less "
			  "well, and stages that are interleaved send twice as often. Schedules that "
			  "compute weight gradients while they wait have a smaller one.",
		.in = {
			[WL_PYTORCH] = "torch.distributed.pipelining: n_microbatches=..., "
				       "ScheduleInterleaved1F1B, ScheduleZBVZeroBubble; Megatron: "
				       "--num-layers-per-virtual-pipeline-stage",
		},
	},
	.limits = "Stages and microbatches are inferred from exchanges between neighbours. What all "
		  "stages wait may have other reasons, too, such as a slow link.",
	.best_place.losses = 1U << WL_LOSS_EXPOSED_COMM,
	.from = WL_FROM(MATCHES) | WL_FROM(MESHES) | WL_FROM(STRAGGLERS) | WL_FROM(ALL_ACTIVITY),
	.unreplayed = "it is half of the bubble, which twice as many microbatches take away",
	.apply = apply,
};
