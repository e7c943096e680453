/* SPDX-License-Identifier: MIT */
#include "findings/ordered.h"

#include "base/memory/sort.h"
#include "findings/claimed_part.h"
#include "findings/evidence.h"
#include "findings/replayed.h"
#include "findings/rule.h"

/*
 * Few traces have thread sleep times or call stacks, and few findings need them: their absence is
 * not noted. Without calls there are fewer replays.
 */
void wl_findings_want(struct wl_wanted *wanted)
{
	wl_want(wanted,
		WL_FINDINGS_FROM | WL_FROM(SLEEP) | WL_FROM(WHATIF) | WL_FROM(STACK_NAMES) |
			WL_FROM(LOST_STACKS),
		NULL);
	for (size_t i = 0; i < wl_n_rules; i++)
		wl_want(wanted, wl_rules[i]->from, wl_rules[i]->columns);
}

/* A rule, and the GPUs on which it has enough occurrences. */
struct wanted {
	const struct wl_rule_state *state;
	const struct wl_rule *rule;
	const bool *is_enough;
};

static bool wanted_anywhere(const void *ctx, const struct wl_rule_gpu *gpu,
			    const struct wl_atom *atom)
{
	const struct wl_rule *rule = ctx;

	(void)gpu;
	return rule->wants(atom);
}

static bool wanted_by(const void *ctx, const struct wl_rule_gpu *gpu, const struct wl_atom *atom)
{
	const struct wanted *w = ctx;

	return w->is_enough[gpu - w->state->gpu] && w->rule->wants(atom);
}

static const char *detail_of(const struct wl_atom *atom)
{
	return atom->detail;
}

static bool apply(const struct wl_rule *rule, struct wl_rule_state *d)
{
	bool *is_enough = WL_NEW(d->run->arena, bool, d->n_gpus);
	const struct wanted wanted = { d, rule, is_enough };
	struct wl_claim claim;

	if (rule->apply)
		return rule->apply(rule, d);
	if (!is_enough)
		return false;
	for (size_t t = 0; t < d->n_gpus; t++)
		is_enough[t] =
			d->gpu[t].by_step ||
			wl_rule_state_count(d, t, wanted_anywhere, rule) >= rule->min_without_steps;
	return wl_rule_state_claim_by(d, wanted_by, &wanted, rule->name ? rule->name : detail_of,
				      &claim) &&
	       wl_rule_state_put(d, rule, &claim, NULL, rule->tell(d, &claim), &rule->evidence);
}

/* Whether a finding is about idle time alone. */
static bool is_of_idle(const struct wl_finding *f)
{
	uint32_t exposed = 1U << WL_LOSS_EXPOSED_COMM | 1U << WL_LOSS_EXPOSED_COPY;
	uint32_t losses = wl_finding_best_place(f->code).losses;

	return f->kind == WL_FINDING_SAVING && losses && !(losses & exposed);
}

/* If counters show that a GPU works, idle time in this trace is not free time. */
static void mark_doubted(struct wl_rule_state *d)
{
	struct wl_finding *all = d->findings.data;

	for (size_t i = 0; i < d->findings.n; i++) {
		uint32_t device = all[i].comes_first ? d->gpu[all[i].gpu].lane->device : WL_NONE;

		for (size_t k = 0; device != WL_NONE && k < d->findings.n; k++)
			all[k].is_doubted |=
				is_of_idle(&all[k]) && d->gpu[all[k].gpu].lane->device == device;
	}
}

/* A late rank that cannot be replayed is listed among the savings. */
static enum wl_finding_kind kind_of(const struct wl_finding *f)
{
	return f->late > 0 ? WL_FINDING_SAVING : f->kind;
}

/* Findings that save nothing further follow those that do. */
static unsigned group_of(const struct wl_finding *f)
{
	return wl_finding_is_minor(f) ? 2 : wl_finding_is_covered(f);
}

/* The share printed in front of a finding; -1 if none is. */
static double printed_share(const struct wl_finding *f)
{
	return f->is_joint || wl_finding_is_covered(f) || wl_finding_is_alone(f) ? -1
										 : f->saves.share;
}

/* Minor findings have no places: those with a printed number are ordered by it, the others by their
 * claims. */
static bool minor_comes_before(const struct wl_finding *a, const struct wl_finding *b)
{
	const double of_a = printed_share(a), of_b = printed_share(b);

	return of_a > of_b || (!(of_b > of_a) && a->window_share > b->window_share);
}

/* Savings come first, in the order in which they add up, then shares, then findings about the
 * trace. */
static bool comes_before(const void *ctx, uint32_t ia, uint32_t ib)
{
	const struct wl_finding *all = ctx, *a = &all[ia], *b = &all[ib];
	unsigned group_a = group_of(a), group_b = group_of(b);

	if (a->comes_first != b->comes_first)
		return a->comes_first;
	if (kind_of(a) != kind_of(b))
		return kind_of(a) < kind_of(b);
	if (kind_of(a) != WL_FINDING_SAVING)
		return a->share > b->share;
	/* Numbers in the list do not depend on whether minor findings are shown. */
	if (group_a != group_b)
		return group_a < group_b;
	if (wl_finding_is_minor(a))
		return minor_comes_before(a, b);
	return a->place < b->place;
}

/* The evidence command for a finding's own stacks refers to its number in the list. */
static bool number_stacks(struct wl_rule_state *d, struct wl_finding *f, size_t number)
{
	static const struct wl_cmdline own = {
		.verb = "stacks", .option = { { "during", NULL }, { "by", "function" } }
	};

	if (!f->shows_stacks)
		return true;
	f->evidence = own;
	f->evidence.option[0].value = wl_say(d, "finding:%zu", number);
	return f->evidence.option[0].value != NULL;
}

static bool sort(struct wl_ordered *list, const struct wl_run *r, bool has_minor)
{
	struct wl_rule_state *d = &list->state;
	struct wl_finding *f = d->findings.data;
	size_t n = d->findings.n;
	uint32_t *order = WL_NEW(r->arena, uint32_t, 2 * n + 1);

	if (!order)
		return false;
	wl_sort_all(order, n, comes_before, f);
	for (size_t i = 0; i < n; i++) {
		bool is_minor = wl_finding_is_minor(&f[order[i]]);

		list->n_minor += is_minor;
		if (!is_minor && !number_stacks(d, &f[order[i]], list->n + 1))
			return false;
		if (!is_minor || has_minor)
			order[list->n++] = order[i];
	}
	list->order = order;
	return true;
}

/* A rule sees what it has declared, and what the rule state is built from. */
bool wl_rule_apply(const struct wl_rule *rule, struct wl_rule_state *d)
{
	const struct wl_run *all = d->run;
	const struct wl_derived seen = wl_derived_only(all->derived, rule->from | WL_FINDINGS_FROM);
	struct wl_run run = *all;
	bool ok;

	run.derived = &seen;
	d->run = &run;
	ok = apply(rule, d);
	d->run = all;
	return ok;
}

bool wl_rules_apply_before(const struct wl_rule *rule, struct wl_rule_state *d)
{
	bool ok = true;

	for (size_t i = 0; ok && i < wl_n_rules && wl_rules[i] != rule; i++)
		ok = wl_rule_apply(wl_rules[i], d);
	return ok;
}

int wl_ordered_init(struct wl_ordered *list, const struct wl_run *r,
		    const struct wl_analysis *asking, const struct wl_ordered_ask *ask,
		    struct wl_table *remarks, struct wl_err *reterr)
{
	struct wl_rule_state *d = &list->state;
	bool ok = wl_rule_state_init(d, r);
	int joined;

	list->order = NULL;
	list->n = list->n_minor = 0;
	joined = ok && ask->ncu ? wl_ncu_join_find(r, ask->ncu, &list->join, reterr) : WL_OK;
	if (joined < 0 && joined != WL_E_NOMEM)
		return joined;
	ok = ok && joined == WL_OK;
	d->join = ask->ncu ? &list->join : NULL;
	d->frameworks = wl_frameworks_find(r);
	d->min_coverage = ask->min_coverage;
	ok = ok && (d->n_gpus == 0 || wl_rules_apply_before(NULL, d)) &&
	     wl_findings_mark_parts(d) && wl_evidence_weigh(d);
	if (ok && d->n_gpus)
		mark_doubted(d);
	if (ok && d->n_gpus)
		ok = wl_findings_replay(d, ask->has_minor ? 0 : WL_LISTED_SHARE, remarks) &&
		     sort(list, r, ask->has_minor);
	return ok && !d->taken.failed ? WL_OK : wl_no_memory(asking, reterr);
}

void wl_ordered_release(struct wl_ordered *list)
{
	wl_rule_state_release(&list->state);
}
