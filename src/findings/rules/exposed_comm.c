/* SPDX-License-Identifier: MIT */
/*
 * exposed_comm.c - a rule: communication that no compute hides, by stage and collective. Parts too
 * small to be listed alone make one finding together, so that a hundred small ones are not lost. If
 * collectives are matched, waits for other ranks are left out: overlap does not help there.
 */
#include <string.h>

#include "analysis/comm/rank_suspects.h"
#include "base/memory/intern.h"
#include "base/text/units.h"
#include "derive/comm/match/leaving.h"
#include "derive/comm/match/matches.h"
#include "derive/derived.h"
#include "findings/rule.h"
#include "findings/rules/exposed_waits.h"
#include "findings/rules/long_transfers.h"
#include "findings/rules/peer_waits.h"
#include "findings/rules/slow_transfers.h"

WL_DECLARE_RULE(exposed_comm);

static const double alone = 0.01; /* share of the step that makes a separate finding */

static bool is_comm(const void *ctx, const struct wl_rule_gpu *gpu, const struct wl_atom *atom)
{
	(void)ctx;
	(void)gpu;
	return atom->loss == WL_LOSS_EXPOSED_COMM;
}

/* No padding. */
struct place {
	const char *stage, *collective;
};

static bool is_there(const void *ctx, const struct wl_rule_gpu *gpu, const struct wl_atom *atom)
{
	const struct place *p = ctx;

	return is_comm(NULL, gpu, atom) && atom->stage == p->stage && atom->detail == p->collective;
}

/* ", and GPU 3 leaves collectives 40 us after the others": the rank whose transfers take
 * longest. */
static const char *say_leaver(struct wl_rule_state *d)
{
	const struct wl_matches *m = d->run->derived->matches;
	const struct wl_leaving *of = wl_leaving_find(m, d->run->arena);
	char who[WL_RANK_NAME], after[WL_UNITS_BUF];
	uint32_t last = WL_NONE;

	for (uint32_t i = 0; of && i < m->n_members; i++) {
		if (of[i].is_late && (last == WL_NONE || of[i].after > of[last].after))
			last = i;
	}
	if (!of || last == WL_NONE)
		return of ? "" : NULL;
	return wl_say(d, WL_STOP ", and %s leaves collectives %s after the others",
		      wl_say_rank(d->run->derived, last, who),
		      wl_fmt_ns(after, of[last].after, WL_UNIT_AUTO));
}

/* Says that no rank is late: a faster link or fewer bytes would help. */
static const char *say_transfers(struct wl_rule_state *d)
{
	const struct wl_long_transfers of = wl_long_transfers_find(d);
	char wait[WL_UNITS_BUF];
	const char *leaver;

	if (of.may_be_elsewhere)
		return wl_say(
			d,
			WL_STOP
			"; no rank of these files is late (waits: %s of exposed "
			"communication): it is the transfer, or a rank without a file is late",
			wl_fmt_share(wait, (double)of.wait / (double)of.exposed));
	if (!of.is_why)
		return "";
	leaver = say_leaver(d);
	return leaver ? wl_say(d,
			       WL_STOP
			       "; no rank is late: it is the transfer (waits: %s of exposed "
			       "communication)%s",
			       wl_fmt_share(wait, (double)of.wait / (double)of.exposed), leaver)
		      : NULL;
}

/* The evidence shows all exposed time of a stage, including waits that are not claimed. */
static const char *say_limits(struct wl_rule_state *d, const struct wl_rule *rule,
			      const struct wl_claim *c, const struct place *p)
{
	size_t t = wl_claim_gpu(d, c);
	const struct wl_rule_gpu *gpu = &d->gpu[t];
	char all[WL_UNITS_BUF], own[WL_UNITS_BUF];
	wl_ns sum = 0;

	for (size_t i = 0; p && i < gpu->lane->n_atoms; i++) {
		const struct wl_atom *atom = &gpu->lane->atom[i];

		if (gpu->in_sample[atom->tile] && is_comm(NULL, gpu, atom) &&
		    atom->stage == p->stage)
			sum += atom->ns;
	}
	if (20 * (sum - c->ns[t]) < c->ns[t])
		return rule->limits;
	return wl_say(d,
		      "%s The evidence shows %s of the stage: %s of this, and waits for other "
		      "ranks or what other findings claim.",
		      rule->limits, wl_fmt_ns(all, sum, WL_UNIT_AUTO),
		      wl_fmt_ns(own, c->ns[t], WL_UNIT_AUTO));
}

/*
 * Says what would help instead of overlap: if transfers are slow in one group or in few steps, or
 * if unmatched messages may be waiting for the other rank.
 */
static const char *say_reason(struct wl_rule_state *d, const struct wl_claim *c,
			      const struct place *p, struct wl_claim *to)
{
	struct wl_slow_transfers slow;
	struct wl_peer_waits of;
	char mean[WL_UNITS_BUF], shortest[WL_UNITS_BUF];

	if (!p)
		return "";
	if (!wl_slow_transfers_find(d, c, p->collective, &slow))
		return NULL;
	if (*slow.text)
		to->fix = slow.fix;
	if (*slow.text || strcmp(p->collective, wl_collective_title(WL_SEND_RECV)) != 0)
		return slow.text;
	if (!wl_peer_waits_find(d, wl_claim_gpu(d, c), &of))
		return NULL;
	if (!of.is_most)
		return "";
	to->fix.action = "Find the rank the others wait for: `nccl`, `ranks`";
	to->fix.advice = "Stages of a pipeline wait for each other: balance their layers, use more "
			 "microbatches per step, or interleave stages. In an all-to-all compare "
			 "the load of the ranks.";
	return wl_say(d,
		      WL_STOP
		      "; most of it may be waiting for another rank (the trace does not "
		      "show where the transfer begins): each takes %s on average, the shortest "
		      "tenth %s or less",
		      wl_fmt_ns(mean, of.mean, WL_UNIT_AUTO),
		      wl_fmt_ns(shortest, of.shortest, WL_UNIT_AUTO));
}

/* p NULL: the finding for all the rest; only: its collective, NULL if there are several. */
static bool add_finding(const struct wl_rule *rule, struct wl_rule_state *d,
			const struct wl_claim *c, const struct place *p, const char *only)
{
	const char *claim = wl_say_claim(d, c), *why = say_transfers(d), *subject = NULL, *text;
	static const struct wl_cmdline by_stage = { .verb = "overlap",
						    .option = { { "by", "stage" } } };
	struct wl_rule with_limits = *rule;
	struct wl_claim own = *c;
	const char *reason = say_reason(d, c, p, &own);
	const size_t before = d->findings.n;

	with_limits.limits = say_limits(d, rule, c, p);
	if (!claim || !why || !reason || !with_limits.limits)
		return false;
	if (p && strcmp(p->stage, "(none)") == 0) {
		subject = wl_say(d, "%s outside ranges", p->collective);
		text = wl_say(d, "%s is exposed" WL_STOP ": %s%s%s%s", p->collective, claim,
			      wl_has_ranges(d) ? WL_STOP "; launched outside any NVTX range" : "",
			      reason, why);
	} else if (p) {
		subject = wl_say(d, "%s in %s", p->collective, p->stage);
		text = wl_say(d, "%s in %s is exposed" WL_STOP ": %s%s%s", p->collective,
			      wl_say_detail(d, p->stage, "?"), claim, reason, why);
	} else {
		subject = "others";
		text = wl_say(d, "Other exposed %s, each call site below 1%%" WL_STOP ": %s",
			      only ? only : "communication", claim);
	}
	/* The saving of the small call sites is bounded by all transfers together and by their
	 * claim. */
	own.scenario = p ? wl_say(d, "exposed-comm=%s", subject) : "comm-free";
	if (!subject || !own.scenario ||
	    !wl_rule_state_put(d, &with_limits, &own, subject, text, &by_stage))
		return false;
	if (!p && d->findings.n > before)
		((struct wl_finding *)d->findings.data)[d->findings.n - 1].hides_most = true;
	return true;
}

/* The collective of all unclaimed communication; NULL if there are several. */
static const char *only_collective(const struct wl_rule_state *d)
{
	const char *only = NULL;

	for (size_t t = 0; t < d->n_gpus; t++) {
		const struct wl_rule_gpu *gpu = &d->gpu[t];

		for (size_t i = 0; i < gpu->lane->n_atoms; i++) {
			const struct wl_atom *atom = &gpu->lane->atom[i];

			if (gpu->left[i] == 0 || !is_comm(NULL, gpu, atom))
				continue;
			if (only && only != atom->detail)
				return NULL;
			only = atom->detail;
		}
	}
	return only;
}

/* Find the places with unclaimed communication, and how much each GPU has. */
static bool find_places(const struct wl_rule_state *d, struct wl_intern *places,
			struct wl_vec *sums)
{
	for (size_t t = 0; t < d->n_gpus; t++) {
		const struct wl_rule_gpu *gpu = &d->gpu[t];

		for (size_t i = 0; i < gpu->lane->n_atoms; i++) {
			const struct wl_atom *atom = &gpu->lane->atom[i];
			const struct place p = { atom->stage, atom->detail };
			uint32_t k;

			if (gpu->left[i] == 0 || !is_comm(NULL, gpu, atom))
				continue;
			k = wl_intern_put(places, &p);
			if (k == WL_NONE)
				return false;
			while (sums->n < (k + 1) * d->n_gpus)
				wl_vec_push(sums, &(wl_ns){ 0 });
			if (sums->failed)
				return false;
			((wl_ns *)sums->data)[k * d->n_gpus + t] += gpu->left[i];
		}
	}
	return true;
}

static bool claim_places(const struct wl_rule *rule, struct wl_rule_state *d,
			 const struct wl_intern *places, const struct wl_vec *sums)
{
	const struct place *place = places->items.data;
	const wl_ns *sum = sums->data;
	const char *only;
	struct wl_claim c;

	for (size_t i = 0; i < places->items.n; i++) {
		bool is_large = false;

		for (size_t t = 0; t < d->n_gpus; t++)
			is_large = is_large || (double)sum[i * d->n_gpus + t] >=
						       alone * (double)d->gpu[t].length;
		if (is_large && (!wl_rule_state_claim(d, is_there, &place[i], &c) ||
				 !add_finding(rule, d, &c, &place[i], NULL)))
			return false;
	}
	only = only_collective(d);
	return wl_rule_state_claim(d, is_comm, NULL, &c) && add_finding(rule, d, &c, NULL, only);
}

static bool apply(const struct wl_rule *rule, struct wl_rule_state *d)
{
	struct wl_budget *budget = wl_arena_budget(d->run->arena);
	struct wl_intern places;
	struct wl_vec sums;
	bool ok;

	wl_intern_init(&places, sizeof(struct place), budget);
	wl_vec_init(&sums, sizeof(wl_ns), budget);
	ok = wl_exposed_waits_leave(d) && find_places(d, &places, &sums) &&
	     claim_places(rule, d, &places, &sums);
	wl_vec_release(&sums);
	wl_intern_release(&places);
	return ok;
}

const struct wl_rule wl_rule_exposed_comm = {
	.code = "exposed-comm",
	.reach = WL_REACH_TRANSFERS,
	.title = "Communication runs while no compute does",
	.fix = {
		.action = "Overlap it: smaller buckets, prefetch, own stream",
		.advice = "Gather the next layer's weights during this layer, interleave two "
			  "microbatches, "
			  "or send fewer bytes. Some exposure is normal: the first gather and last "
			  "reduction of a step, and pipeline bubbles.",
		.in = {
			[WL_CUDA] = "call NCCL on a second stream, ordered by cudaEventRecord and "
				    "cudaStreamWaitEvent",
			[WL_PYTORCH] = "DDP(bucket_cap_mb=...); FSDP(forward_prefetch=True, "
				       "backward_prefetch=BackwardPrefetch.BACKWARD_PRE)",
			[WL_JAX] = "XLA_FLAGS=--xla_gpu_enable_latency_hiding_scheduler=true",
			[WL_SERVING] = "expert parallelism: overlap two half batches with "
				       "--enable-dbo (vLLM), "
				       "--enable-two-batch-overlap (SGLang)",
		},
	},
	.limits = "The trace does not show whether there is compute to overlap with. Waits for "
		  "other "
		  "ranks are included only where collectives could not be matched.",
	.best_place.losses = 1U << WL_LOSS_EXPOSED_COMM,
	.from = WL_FROM(MATCHES) | WL_FROM(STRAGGLERS) | WL_FROM(ALL_ACTIVITY),
	.scenario_of_all = "comm-free",
	.apply = apply,
};
