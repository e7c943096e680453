/* SPDX-License-Identifier: MIT */
/*
 * host_sync_idle.c - a rule: blocking calls that leave the GPU without work.
 *
 * Inside such a call the host waits while the GPU is idle. After a call that emptied the launch
 * queue, the host has to launch again before the GPU can continue: short gaps, launch calls and
 * their latency, and host code of the call's own range are attributed to the call. Host code of
 * another range, and OS calls, in a gap of more than 100 us are separate work: host-starved claims
 * them and names the call. It also claims the host code after the calls if that takes longer than
 * the GPU is busy: the host could not run ahead even without the calls.
 */
#include "derive/derived.h"
#include "findings/rule.h"
#include "findings/sample_waits.h"

WL_DECLARE_RULE(host_sync_idle);

static bool is_relaunch(const struct wl_atom *atom)
{
	return atom->opener && wl_atom_is_launching(atom);
}

/* Whether an atom is host code that the call exposed, if the host is otherwise fast enough. */
static bool is_exposed_work(const struct wl_atom *atom)
{
	return atom->opener && atom->loss == WL_CAUSE_HOST && (atom->flags & WL_LOST_IN_SAME) &&
	       !(atom->flags & WL_LOST_IN_SHORT);
}

static bool can_run_ahead(const struct wl_rule_gpu *gpu)
{
	wl_ns work = 0;

	for (size_t i = 0; i < gpu->lane->n_atoms; i++)
		work += is_exposed_work(&gpu->lane->atom[i]) ? gpu->left[i] : 0;
	return work <= gpu->busy;
}

struct wanted {
	const struct wl_rule_state *state;
	const bool *runs_ahead; /* by GPU */
};

static bool wants(const void *ctx, const struct wl_rule_gpu *gpu, const struct wl_atom *atom)
{
	const struct wanted *w = ctx;

	return atom->loss == WL_CAUSE_SYNC || is_relaunch(atom) ||
	       (is_exposed_work(atom) && w->runs_ahead[gpu - w->state->gpu]);
}

/* The call that causes the idle time. */
static const char *name_of(const struct wl_atom *atom)
{
	return atom->loss == WL_CAUSE_SYNC ? atom->detail : atom->opener;
}

/* ", 250 times per step": the number of calls with that name, as in the verb sync. */
static const char *say_often(struct wl_rule_state *d, const struct wl_claim *c, size_t t)
{
	const struct wl_rule_gpu *gpu = &d->gpu[t];
	uint64_t n = c->detail ? wl_sample_waits_count(d, gpu, c->detail) : 0;
	uint64_t n_steps = gpu->n_steps;

	if (wl_claim_is_of_steps(d, c, t) && n >= 2 * n_steps)
		return wl_say(d, ", %s times per step",
			      wl_say_count(d, (n + n_steps / 2) / n_steps));
	return !gpu->by_step && n > 1 ? wl_say(d, ", %s times", wl_say_count(d, n)) : "";
}

/* Whether all of it is at calls with one name. */
static bool is_one_call(const struct wl_claim *c)
{
	const double whole = 0.9995;

	return c->detail && (double)c->detail_ns >= whole * (double)c->named_of;
}

static const char *describe(struct wl_rule_state *d, const struct wl_claim *c)
{
	const char *claim = wl_say_claim(d, c);
	const char *parts = wl_say_parts(d, c, "at ", "at unnamed calls");
	const char *often = say_often(d, c, wl_claim_gpu(d, c));
	const char *call = is_one_call(c) ? wl_say_quoted(d, c->detail, "?") : "blocking calls";

	return claim && parts && often ? wl_say(d, "GPU idle in and after %s" WL_STOP ": %s%s%s",
						call, claim, is_one_call(c) ? "" : parts, often)
				       : NULL;
}

/* The call that has more than half of it; NULL for none. */
static const char *lets_go(const struct wl_claim *c)
{
	return 2 * c->detail_ns > c->named_of ? c->detail : NULL;
}

/* If no call has most of it, "re:." matches every call that waits. */
static const char *scenario_of(struct wl_rule_state *d, const struct wl_claim *c)
{
	const char *call = lets_go(c);

	return call ? wl_say(d, "no-sync=%s", call) : "no-sync=re:.";
}

static bool apply(const struct wl_rule *rule, struct wl_rule_state *d)
{
	bool *ahead = WL_NEW(d->run->arena, bool, d->n_gpus);
	const struct wanted wanted = { d, ahead };
	struct wl_claim claim;

	if (!ahead)
		return false;
	for (size_t t = 0; t < d->n_gpus; t++)
		ahead[t] = can_run_ahead(&d->gpu[t]);
	return wl_rule_state_claim_by(d, wants, &wanted, name_of, &claim) &&
	       wl_rule_state_put(d, rule, &claim, NULL, describe(d, &claim), &rule->evidence);
}

/* The verb sync shows only the idle time inside calls, which may be the smaller part. */
static const struct wl_cmdline *evidence_of(const struct wl_rule_state *d, const struct wl_claim *c)
{
	static const struct wl_cmdline idle = {
		.verb = "idle", .option = { { "by", "detail" }, { "where", WL_AFTER_CALLS } }
	};

	(void)d;
	return 2 * c->by_loss[WL_CAUSE_SYNC] < c->named_of ? &idle : NULL;
}

const struct wl_rule wl_rule_host_sync_idle = {
	.code = "host-sync-idle",
	.reach = WL_REACH_MPI,
	.from = WL_FROM(WAITS),
	.title = "Blocking calls empty the launch queue; the GPU is idle",
	.fix = {
		.action = "Remove the call, or launch the next work before it",
		.advice = "Read results one step later, and test for convergence every N launches.",
		.in = {
			[WL_CUDA] = "replace cudaDeviceSynchronize by cudaEventRecord now and "
				    "cudaEventSynchronize one step later",
			[WL_PYTORCH] = "keep scalars on the GPU; avoid .item(), .cpu() and "
				       "print(tensor) in the loop",
			[WL_JAX] = "avoid float(x), np.asarray(x) and block_until_ready() in the "
				   "loop",
			[WL_SERVING] = WL_SCHEDULE_AHEAD,
		},
		.unread = { [WL_PYTORCH] = WL_NO_SYNC_PYTORCH, [WL_JAX] = WL_NO_SYNC_JAX },
	},
	.limits = "The idle time follows the call; that does not prove cause. Waits while the GPU "
		  "is "
		  "busy are not counted.",
	.best_place.losses = 1U << WL_CAUSE_SYNC,
	.scenario_of_all = "no-sync=re:.",
	.scenario_of = scenario_of,
	.lets_go = lets_go,
	.evidence = { .verb = "sync" },
	.evidence_of = evidence_of,
	.apply = apply,
};
