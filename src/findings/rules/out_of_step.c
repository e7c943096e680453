/* SPDX-License-Identifier: MIT */
/*
 * out_of_step.c - a rule: the members of a communicator call different collectives.
 *
 * Matching stops where the sizes of an instance differ, or where its operations no longer overlap
 * (derive/comm/match/matches.h). From there on members call different collectives: the job hangs,
 * or reduces unrelated data.
 */
#include <inttypes.h>

#include "derive/comm/match/matches.h"
#include "derive/derived.h"
#include "findings/rule.h"

WL_DECLARE_RULE(out_of_step);

enum { MAX_GROUPS = 4 };

/* "Rank 3 (GPU 1)", or "GPU 1"; NULL when memory is exhausted. */
static const char *name_member(struct wl_rule_state *d, uint32_t member)
{
	const struct wl_member *m = &d->run->derived->matches->member[member];
	int64_t rank = d->run->derived->ranks->of[m->process];

	return rank >= 0 ? wl_say(d, "Rank %" PRId64 " (GPU %" PRIu32 ")", rank, m->device)
			 : wl_say(d, "GPU %" PRIu32, m->device);
}

static bool add_finding(const struct wl_rule *rule, struct wl_rule_state *d,
			const struct wl_match_set *set)
{
	const struct wl_matches *m = d->run->derived->matches;
	const char *kind = wl_collective_title(m->queues.queue[set->queue[0]].type);
	const char *group = wl_comm_group_name(m, set->group, d->run->arena);
	struct wl_finding f = { .kind = WL_FINDING_TRACE, .share = -1 };

	if (!group)
		return false;
	f.subject = wl_say(d, "GPUs %s", group);
	if (set->odd != WL_NONE) {
		const char *odd = name_member(d, m->member_of[set->odd]);

		f.sentence =
			odd ? wl_say(d,
				     "%s does not call the same collective as its group" WL_STOP
				     ": at %s number %" PRIu32
				     " of GPUs %s it calls another one, or one of another size",
				     odd, kind, set->stopped, group)
			    : NULL;
	} else {
		f.sentence = wl_say(d,
				    "GPUs %s do not call the same collective" WL_STOP
				    ": they diverge at their %s number %" PRIu32,
				    group, kind, set->stopped);
	}
	f.evidence = (struct wl_cmdline){ .verb = "nccl",
					  .option = { { "list", NULL }, { "sort", "match" } } };
	return f.subject && f.sentence && wl_rule_state_put_plain(d, rule, &f);
}

static bool apply(const struct wl_rule *rule, struct wl_rule_state *d)
{
	const struct wl_matches *m = d->run->derived->matches;
	bool ok = true;

	for (size_t i = 0, n = 0; ok && i < m->n_sets && n < MAX_GROUPS; i++) {
		/* A wrong clock says nothing about the order of calls. */
		if (m->set[i].stopped == WL_NONE || m->group[m->set[i].group].no_clock)
			continue;
		ok = add_finding(rule, d, &m->set[i]);
		n++;
	}
	return ok;
}

const struct wl_rule wl_rule_out_of_step = {
	.code = "out-of-step",
	.title = "Members of a communicator call different collectives",
	.from = WL_FROM(MATCHES) | WL_FROM(RANKS),
	.fix.action = "Make all ranks call the same collectives in the same order",
	.fix.advice = "Look for a branch, a batch or an early exit that depends on the rank before "
		      "that collective.",
	.fix.in[WL_PYTORCH] = "TORCH_DISTRIBUTED_DEBUG=DETAIL checks that all ranks call the same "
			      "collective with equal shapes, and names the call that differs",
	.limits = "Without NCCL payloads, an event lost by the profiler looks the same. Waits and "
		  "stragglers of this group are judged only up to that collective.",
	.apply = apply,
};
