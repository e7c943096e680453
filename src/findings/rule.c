/* SPDX-License-Identifier: MIT */
/* rule.c - turns the claims of rules into findings. */
#include "findings/rule.h"

#include <string.h>

bool wl_rule_state_put_plain(struct wl_rule_state *d, const struct wl_rule *rule,
			     const struct wl_finding *f)
{
	struct wl_finding put = *f;

	put.code = rule->code;
	put.fix = put.fix.action ? put.fix : rule->fix;
	if (!d->has_reads)
		wl_advice_take_unread(&put.fix);
	wl_advice_choose(&put.fix, d->frameworks);
	put.limits = put.limits ? put.limits : rule->limits;
	if (!put.scenario && !put.unreplayed) {
		put.scenario = rule->scenario;
		put.unreplayed = rule->unreplayed;
	}
	wl_vec_push(&d->findings, &put);
	return put.sentence && put.evidence.verb && !d->findings.failed;
}

/* A saving from dropping a call's waits assumes that the host does not need the results. */
static const char *limits_of(struct wl_rule_state *d, const struct wl_rule *rule,
			     const char *scenario)
{
	static const char no_waits[] = "no-sync=";

	if (!scenario || strncmp(scenario, no_waits, sizeof(no_waits) - 1) != 0)
		return rule->limits;
	return wl_say(d, "%s " WL_NEEDS_RESULT, rule->limits);
}

bool wl_rule_state_put(struct wl_rule_state *d, const struct wl_rule *rule,
		       const struct wl_claim *claim, const char *subject, const char *sentence,
		       const struct wl_cmdline *evidence)
{
	size_t t = wl_claim_gpu(d, claim);
	struct wl_finding f = { .kind = WL_FINDING_SAVING,
				.subject = subject,
				.claim = claim->number,
				.gpu = t,
				.of_window = !wl_claim_is_of_steps(d, claim, t),
				.saving = wl_claim_per_step(d, claim, t),
				.share = wl_claim_share(d, claim, t),
				.window_share = wl_claim_window_share(d, claim, t),
				.is_elsewhere = claim->is_elsewhere,
				.names_who = claim->names_who,
				.look_at = claim->look_at,
				.fix = claim->fix,
				.scenario = claim->scenario,
				.unreplayed = claim->unreplayed };
	const struct wl_peak longest = wl_claim_longest(claim, t);
	const struct wl_advice *better = rule->advise ? rule->advise(d, claim) : NULL;
	const struct wl_cmdline *by_claim = rule->evidence_of ? rule->evidence_of(d, claim) : NULL;
	const char *stacks = wl_say_stacks(d, claim);

	for (size_t i = 0; i < d->n_gpus; i++)
		f.gpu_time += claim->ns[i] + claim->extra[i];
	if (f.gpu_time == 0)
		return true;
	f.lets_go = rule->lets_go ? rule->lets_go(claim) : NULL;
	f.behind = rule->behind ? rule->behind(d, claim) : NULL;
	f.sentence = sentence && stacks ? wl_say(d, "%s%s", sentence, stacks) : NULL;
	if (better)
		f.fix = *better;
	/* A claim in every step can be seen in any of them; a rare one is placed where it has
	 * most. */
	f.is_placed = claim->is_placed || (f.of_window && longest.ns > 0 && !f.is_elsewhere);
	f.at = claim->is_placed ? claim->at : longest.at;
	f.shows_stacks = !claim->evidence.verb && f.fix.evidence.verb;
	f.evidence = claim->evidence.verb  ? claim->evidence
		     : f.fix.evidence.verb ? f.fix.evidence
		     : by_claim            ? *by_claim
					   : *evidence;
	if (f.evidence.gpus == WL_GPUS_AS_ASKED && !f.evidence.has_steps)
		wl_show_on(d, t, claim->is_elsewhere ? claim->look_at : d->gpu[t].lane->device,
			   &f.evidence);
	if (!f.scenario && !f.unreplayed && rule->scenario_of) {
		f.scenario = rule->scenario_of(d, claim);
		if (!f.scenario)
			return false;
		f.scenario = *f.scenario ? f.scenario : NULL;
	}
	f.limits = limits_of(d, rule, f.scenario);
	return wl_rule_state_put_plain(d, rule, &f);
}
