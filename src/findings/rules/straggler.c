/* SPDX-License-Identifier: MIT */
/*
 * straggler.c - a rule: some GPUs make the others of their groups wait.
 *
 * The members of a group meet in collectives (derive/comm/match/matches.h). If one arrives last, it
 * alone costs each of the others the time from the last but one arrival to its own; for stragglers
 * that are slow together, from the last arrival of another member. Only the part that the others'
 * compute does not hide can be saved. The transfer after a wait is exposed on the others, too,
 * because their compute is over by then; less of it is exposed on the straggler, which still
 * computes. A claim is therefore, step by step, the exposed time on each of the others from the
 * last but one arrival on, minus the exposed time on the straggler in the same collectives, and of
 * this the minimum over the others, because they step together and would wait for the next slowest.
 * How often a GPU is last does not matter: among equal GPUs one always is.
 *
 * A replay names the straggler (derive/graph/late/straggler.h). A member that arrives late because
 * it waited in another group is not the cause: its victims count for the member it waited for.
 * Matches and replays cover the whole trace: a selection of GPUs changes which GPUs are shown to
 * lose time, but not which straggler is named.
 */
#include "derive/graph/late/straggler.h"
#include "base/text/units.h"
#include "derive/comm/match/matches.h"
#include "derive/derived.h"
#include "derive/graph/late/late_suspects.h"
#include "derive/kinds/activity.h"
#include "derive/nvtx/ranks.h"
#include "findings/rule.h"
#include "findings/rules/exposed_waits.h"
#include "findings/rules/straggler_reason.h"
#include "findings/suspects.h"

WL_DECLARE_RULE(straggler);

struct trial {
	struct wl_rule_state *d;
	const struct wl_matches *m;
	const struct wl_ranks *ranks;
	const struct wl_classes *classes;
	const struct wl_iterations *iterations;
	struct wl_intervals *busy; /* by GPU: its compute; NULL arrays until needed */
	const struct wl_stragglers *named;
	struct wl_suspects s;
};

/* Stragglers that are fixed together, and the time their victims lose. */
struct verdict {
	uint32_t set;
	uint32_t member;         /* the latest of them */
	struct wl_vec waits;     /* struct wl_interval: of the current GPU */
	struct wl_intervals own; /* exposed on the straggler itself */
	wl_ns **lost;            /* by GPU, then by tile of the sample; or NULL */
	bool *is_victim;         /* by member */
	bool waits_in_calls;     /* some waits are in MPI calls, where the GPU is idle */
	double most;             /* largest share of a GPU's sample */
	size_t gpu;              /* that has it */
	wl_ns all;               /* lost time on that GPU, in the sample */
};

/* Find when a device computes, whether or not it is selected. */
static bool find_busy(const struct trial *t, uint32_t device, struct wl_arena *scratch,
		      struct wl_intervals *ret)
{
	const struct wl_run *run = t->d->run;
	struct wl_activity activity;

	return wl_activity_of_device(run->trace, NULL, t->classes, device, scratch, &activity) &&
	       wl_activity_intervals(&activity, WL_ON_COMPUTE, NULL, run->arena, ret);
}

/* Find the part of the collected waits that the device's compute does not hide. */
static bool find_exposed(struct trial *t, const struct verdict *v, uint32_t device,
			 struct wl_intervals *busy, struct wl_arena *scratch,
			 struct wl_intervals *ret)
{
	struct wl_intervals waits;

	if (!busy->before && !find_busy(t, device, scratch, busy))
		return false;
	return wl_intervals_unite(v->waits.data, v->waits.n, scratch, &waits) &&
	       wl_intervals_subtract(&waits, busy, scratch, ret);
}

/* The exposed time on the straggler itself in the step of the GPU's tile. */
static wl_ns own_share(const struct trial *t, const struct verdict *v, const struct wl_tile *tile)
{
	const struct wl_process_iters *iters =
		&t->iterations->process[t->m->member[v->member].process];

	if (tile->iter != WL_NONE && tile->iter < iters->n)
		return wl_intervals_covered(&v->own, iters->at[tile->iter].tile.begin,
					    iters->at[tile->iter].tile.end);
	return wl_intervals_covered(&v->own, tile->begin, tile->end);
}

static wl_ns lost_in(const struct trial *t, const struct verdict *v,
		     const struct wl_intervals *exposed, const struct wl_tile *tile)
{
	wl_ns lost = wl_intervals_covered(exposed, tile->begin, tile->end);
	wl_ns own = lost ? own_share(t, v, tile) : 0;

	return lost > own ? lost - own : 0;
}

static bool close_gpu(struct trial *t, struct verdict *v, size_t number)
{
	const struct wl_rule_gpu *gpu = &t->d->gpu[number];
	struct wl_intervals exposed;
	struct wl_arena scratch;
	wl_ns *lost;
	bool ok;

	if (v->waits.n == 0 || gpu->length == 0)
		return true;
	wl_arena_init_child(&scratch, t->d->run->arena);
	v->lost[number] = lost = WL_NEW(t->d->run->arena, wl_ns, gpu->lane->n_tiles);
	ok = lost && find_exposed(t, v, gpu->lane->device, &t->busy[number], &scratch, &exposed);
	for (size_t i = 0; ok && i < gpu->lane->n_tiles; i++)
		lost[i] = gpu->in_sample[i] ? lost_in(t, v, &exposed, &gpu->lane->tile[i]) : 0;
	wl_arena_release(&scratch);
	v->waits.n = 0;
	return ok;
}

/* The step number of a tile; a window without steps counts as one. */
static uint32_t step_of(const struct wl_tile *tile)
{
	return tile->iter == WL_NONE ? 0 : tile->iter + 1;
}

/* By step: the least time that any victim loses. */
static wl_ns *find_least(const struct trial *t, const struct verdict *v)
{
	uint32_t n = 1;
	wl_ns *least;

	for (size_t i = 0; i < t->d->n_gpus; i++) {
		const struct wl_ledger_lane *lane = t->d->gpu[i].lane;

		for (size_t k = 0; k < lane->n_tiles; k++)
			n = step_of(&lane->tile[k]) >= n ? step_of(&lane->tile[k]) + 1 : n;
	}
	least = WL_NEW(t->d->run->arena, wl_ns, n);
	for (uint32_t i = 0; least && i < n; i++)
		least[i] = INT64_MAX;
	for (size_t i = 0; least && i < t->d->n_gpus; i++) {
		const struct wl_rule_gpu *gpu = &t->d->gpu[i];

		for (size_t k = 0; v->lost[i] && k < gpu->lane->n_tiles; k++) {
			wl_ns *of = &least[step_of(&gpu->lane->tile[k])];

			if (gpu->in_sample[k] && v->lost[i][k] < *of)
				*of = v->lost[i][k];
		}
	}
	return least;
}

/* The victims step together: time that one loses beyond the others is not due to the straggler. If
 * stragglers take turns, each loses time in its own steps. */
static bool level(const struct trial *t, struct verdict *v)
{
	const wl_ns *least = find_least(t, v);

	for (size_t i = 0; least && i < t->d->n_gpus; i++) {
		const struct wl_rule_gpu *gpu = &t->d->gpu[i];
		wl_ns sum = 0;

		for (size_t k = 0; v->lost[i] && k < gpu->lane->n_tiles; k++) {
			if (gpu->in_sample[k] && !t->s.is_in_turn[v->set])
				v->lost[i][k] = least[step_of(&gpu->lane->tile[k])];
			sum += v->lost[i][k];
		}
		if (sum > 0 && (double)sum / (double)gpu->length > v->most) {
			v->most = (double)sum / (double)gpu->length;
			v->gpu = i;
			v->all = sum;
		}
	}
	return least != NULL;
}

/* Find the exposed time of the straggler's own operations in matches where one of its set arrived
 * last. */
static bool find_own(struct trial *t, struct verdict *v)
{
	const struct wl_matches *m = t->m;
	struct wl_intervals busy = { .n = 0 };

	for (size_t i = 0; i < m->queues.n_ops; i++) {
		const struct wl_comm_op *op = &m->queues.op[i];
		const struct wl_match *at = op->match == WL_NONE ? NULL : &m->at[op->match];

		if (!at || t->s.is_in_turn[v->set] || m->member_of[op->queue] != v->member ||
		    t->s.set_of[m->group[m->set[at->set].group].member[at->last]] != v->set)
			continue;
		wl_vec_push(&v->waits, &(struct wl_interval){ op->start, wl_comm_end(op) });
	}
	if (v->waits.failed ||
	    !find_exposed(t, v, m->member[v->member].device, &busy, t->d->run->arena, &v->own))
		return false;
	v->waits.n = 0;
	return true;
}

/*
 * The transfer after a wait is not a wait. The part that is exposed on the straggler as well is
 * left out step by step (own_share); if stragglers take turns, all of it is left out here, because
 * each has its own steps.
 */
static wl_ns end_of_wait(const struct trial *t, const struct verdict *v,
			 const struct wl_comm_op *op)
{
	wl_ns transfer = t->s.is_in_turn[v->set] ? t->m->at[op->match].shortest : 0;

	return wl_comm_end(op) - (transfer < op->dur ? transfer : op->dur);
}

/* Add the wait of each operation from the time when only the straggler was missing. */
static void add_waits(const struct trial *t, struct verdict *v, size_t queue)
{
	const struct wl_comm_queues *q = &t->m->queues;
	uint32_t member = t->m->member_of[queue];

	for (size_t k = q->queue[queue].lo; k < q->queue[queue].hi; k++) {
		const struct wl_comm_op *op = &q->op[k];
		uint32_t suspect = wl_suspect_of(&t->s, op);
		wl_ns from = op->start, to;

		if (suspect == WL_NONE ||
		    (t->s.set_of[member] == v->set && !t->s.is_in_turn[v->set]))
			continue;
		if (t->s.root[suspect] == v->set)
			from = op->start + op->late - t->s.alone[op->match];
		else if (!v->is_victim[member] || !wl_suspect_passes_on(&t->s, v->is_victim, op))
			continue;
		v->waits_in_calls |= wl_comm_is_mpi(&q->queue[queue]);
		from = from < op->start ? op->start : from;
		to = end_of_wait(t, v, op);
		if (to > from)
			wl_vec_push(&v->waits, &(struct wl_interval){ from, to });
	}
}

/* Queues are ordered by member, and members by GPU. */
static bool find_losses(struct trial *t, struct verdict *v)
{
	size_t gpu = WL_NONE;
	bool ok = true;

	for (size_t i = 0; ok && i < t->m->queues.n; i++) {
		uint32_t own = t->s.gpu_of[t->m->member_of[i]];

		if (t->m->set_of[i] == WL_NONE)
			continue;
		if (own != gpu && gpu != WL_NONE)
			ok = close_gpu(t, v, gpu);
		gpu = own;
		add_waits(t, v, i);
		if (own == WL_NONE)
			v->waits.n = 0;
	}
	if (ok && gpu != WL_NONE)
		ok = close_gpu(t, v, gpu);
	return ok && !v->waits.failed;
}

/* "rank 2 (GPU 2)", "GPUs 0 and 1", "nodes node2 and node5 (ranks 4, 5)". */
static const char *say_who(const struct trial *t, const struct verdict *v,
			   const struct wl_late_words *words)
{
	const struct wl_member *member = &t->m->member[v->member];
	const struct wl_late_set *set = &t->named->set[v->set];
	int64_t rank = t->ranks->of[member->process];
	const char *outside = t->d->run->scope->device_on[member->device] ? "" : " (not selected)";

	if (set->n > 1 || set->subject == WL_LATE_AXIS)
		return wl_say(t->d, "%s", words->who);
	return rank >= 0 ? wl_say(t->d, "rank %lld (GPU %u)%s", (long long)rank, member->device,
				  outside)
			 : wl_say(t->d, "GPU %u%s", member->device, outside);
}

/* Capitalize a sentence that begins with a rank or a node, not with a name of the trace. NULL if
 * text is NULL. */
static const char *with_capital(struct wl_rule_state *d, const char *text)
{
	if (!text || *text < 'a' || *text > 'z')
		return text;
	return wl_say(d, "%c%s", *text - 'a' + 'A', text + 1);
}

/* "the other 3 GPUs wait for it". Stragglers that take turns wait for each other. */
static const char *say_waiting(const struct trial *t, const struct verdict *v,
			       const struct wl_late_words *words, size_t n)
{
	if (wl_late_changes(&t->named->set[v->set]))
		return "the others wait for it";
	if (t->s.is_in_turn[v->set])
		return "they wait for each other";
	return wl_say(t->d, "the other %zu GPUs wait for %s", n, words->is_many ? "them" : "it");
}

static const char *say(struct trial *t, const struct verdict *v, const char *why,
		       const struct wl_late_words *words, const struct wl_claim *claim)
{
	size_t gpu = wl_claim_gpu(t->d, claim), n = 0;
	const struct wl_rule_gpu *victim = &t->d->gpu[gpu];
	bool by_step = wl_claim_is_of_steps(t->d, claim, gpu);
	wl_ns saving = wl_claim_per_step(t->d, claim, gpu);
	const char *alone = *words->alone ? WL_STOP "; " : "";
	char time[WL_UNITS_BUF], share[WL_UNITS_BUF];

	for (size_t i = 0; i < t->m->n_members; i++)
		n += v->is_victim[i];
	(void)wl_fmt_ns(time, saving, WL_UNIT_AUTO);
	(void)wl_fmt_share(share, wl_claim_share(t->d, claim, gpu));
	if (n == 1 && !t->s.is_in_turn[v->set])
		return wl_say(t->d, "%s%s%s" WL_STOP "; GPU %u waits for %s: %s of %s (%s)", why,
			      alone, words->alone, victim->lane->device,
			      words->is_many ? "them" : "it", time,
			      by_step ? "each step" : "the window", share);
	return wl_say(t->d, "%s%s%s" WL_STOP "; %s: %s of %s (%s) on GPU %u", why, alone,
		      words->alone, say_waiting(t, v, words, n), time,
		      by_step ? "each step" : "the window", share, victim->lane->device);
}

/* In a GPU collective, communication is exposed; during an MPI call, the GPU is idle. */
static void take(struct trial *t, const struct verdict *v, size_t gpu, uint32_t tile, wl_ns left,
		 struct wl_claim *claim)
{
	static const enum wl_cause idle[] = { WL_CAUSE_MPI, WL_CAUSE_SYNC, WL_CAUSE_HOST,
					      WL_CAUSE_OS,  WL_CAUSE_API,  WL_CAUSE_LAUNCH };

	left -= wl_rule_state_take(t->d, gpu, tile, WL_LOSS_EXPOSED_COMM, left, claim);
	for (size_t i = 0; v->waits_in_calls && left > 0 && i < WL_COUNT(idle); i++)
		left -= wl_rule_state_take(t->d, gpu, tile, (enum wl_loss)idle[i], left, claim);
}

/* Waits are taken first, from the collectives that have them: the rest of these is transfer. */
static bool take_all(struct trial *t, const struct verdict *v, size_t gpu, struct wl_claim *claim)
{
	size_t n = t->d->gpu[gpu].lane->n_tiles;
	wl_ns *left = WL_NEW(t->d->run->arena, wl_ns, n);

	for (size_t i = 0; left && i < n; i++)
		left[i] = v->lost[gpu][i];
	if (!left || !wl_exposed_waits_claim(t->d, gpu, left, claim))
		return false;
	for (uint32_t i = 0; i < n; i++) {
		if (left[i] > 0)
			take(t, v, gpu, i, left[i], claim);
	}
	return true;
}

/* Count the steps of each GPU in which the stragglers are slow: if they are few, figures are of the
 * window. */
static void count_steps(const struct trial *t, const struct verdict *v, struct wl_claim *claim)
{
	for (size_t i = 0; i < t->d->n_gpus; i++) {
		if (v->lost[i])
			wl_claim_count_steps(t->d, claim, i, v->lost[i]);
	}
}

static bool put(const struct wl_rule *rule, struct trial *t, const struct verdict *v)
{
	struct wl_late_words words;
	struct wl_late_case late = { .matches = t->m,
				     .all = t->named,
				     .set = &t->named->set[v->set],
				     .straggler = wl_straggler_of(t->named, v->member),
				     .words = &words,
				     .gpu = v->gpu };
	static const struct wl_cmdline nccl = { .verb = "nccl" };
	struct wl_claim claim;
	const char *why;

	wl_late_say(t->d->run->derived, t->named, v->set, &words);
	late.who = say_who(t, v, &words);
	if (!late.who || !wl_claim_init(t->d, &claim))
		return false;
	for (size_t i = 0; i < t->d->n_gpus; i++) {
		if (v->lost[i] && !take_all(t, v, i, &claim))
			return false;
	}
	count_steps(t, v, &claim);
	claim.is_elsewhere = true;
	claim.names_who = true;
	claim.look_at = t->m->member[v->member].device;
	why = with_capital(t->d, wl_straggler_reason(t->d, &late, &claim));
	return why && wl_rule_state_put(t->d, rule, &claim, late.who,
					say(t, v, why, &words, &claim), &nccl);
}

static bool judge(const struct wl_rule *rule, struct trial *t, uint32_t set)
{
	struct wl_arena *arena = t->d->run->arena;
	struct verdict v = { .set = set,
			     .member = t->named->at[t->named->set[set].lo].member,
			     .lost = WL_NEW(arena, wl_ns *, t->d->n_gpus),
			     .is_victim = WL_NEW(arena, bool, t->m->n_members) };
	bool ok;

	wl_vec_init(&v.waits, sizeof(struct wl_interval), wl_arena_budget(arena));
	if (v.is_victim)
		wl_suspects_find_victims(&t->s, set, v.is_victim);
	ok = v.lost && v.is_victim && find_own(t, &v) && find_losses(t, &v) && level(t, &v) &&
	     (v.all == 0 || put(rule, t, &v));
	wl_vec_release(&v.waits);
	return ok;
}

/* Put a finding on a late rank whose cost is unknown: its severity is its lateness, and it has no
 * saving. */
static bool put_unreplayed(const struct wl_rule *rule, struct trial *t)
{
	const struct wl_late_suspect *latest = &t->named->suspects->at[0];
	const struct wl_member *member = &t->m->member[latest->member];
	struct wl_finding f = {
		.kind = WL_FINDING_SHARE,
		.late = (double)latest->late / (double)latest->run,
		.is_elsewhere = true,
		.look_at = member->device,
		.evidence = { .verb = "ranks" },
		.fix.action = t->named->refused
				      ? "Compare that GPU with the others"
				      : "Record CUDA events, and compare it with the others"
	};
	char text[WL_LATE_TEXT];

	f.share = f.late;
	wl_late_say_unnamed(t->d->run->derived, t->named, text);
	f.subject = wl_say(t->d, "GPU %u", member->device);
	f.sentence = with_capital(t->d, wl_say(t->d, "%s", text));
	return f.subject && f.sentence && wl_rule_state_put_plain(t->d, rule, &f);
}

static bool apply(const struct wl_rule *rule, struct wl_rule_state *d)
{
	struct trial t = { .d = d,
			   .m = d->run->derived->matches,
			   .ranks = d->run->derived->ranks,
			   .classes = d->run->derived->classes,
			   .iterations = d->run->derived->iterations,
			   .busy = WL_NEW(d->run->arena, struct wl_intervals, d->n_gpus) };
	bool ok;

	t.named = d->run->derived->stragglers;
	ok = t.busy && wl_suspects_find(d, &t.s);
	if (ok && d->n_gpus && t.named->verdict == WL_LATE_UNREPLAYED)
		ok = put_unreplayed(rule, &t);
	for (uint32_t i = 0; ok && i < t.named->n_sets; i++)
		ok = judge(rule, &t, i);
	return ok;
}

const struct wl_rule wl_rule_straggler = {
	.from = WL_FROM(MATCHES) | WL_FROM(RANKS) | WL_FROM(STRAGGLERS) | WL_FROM(NAMED) |
		WL_FROM(MESHES) | WL_FROM(STEP_CHANGE),
	.code = "straggler",
	.reach = WL_REACH_LATE,
	.title = "Some GPUs make the others wait in collectives",
	.fix.action = "Compare that GPU with the others",
	.fix.advice = "Look for more or longer kernels, lower clocks, host work and page faults on "
		      "its node, and uneven batches.",
	.scenario = "no-straggler",
	.limits = "GPU groups are inferred from collectives that end together. In a pipeline the "
		  "last rank to arrive is not necessarily slow. The time lost includes transfers "
		  "behind waits that the straggler itself hides: `ranks` shows waits alone.",
	.apply = apply,
};
