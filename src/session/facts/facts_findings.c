/* SPDX-License-Identifier: MIT */
#include "session/facts/facts_findings.h"

#include <string.h>

#include "analysis/comm/rank_suspects.h"
#include "base/memory/intern.h"
#include "base/memory/sort.h"
#include "derive/graph/late/late_suspects.h"
#include "derive/graph/late/straggler.h"
#include "findings/codes.h"
#include "findings/rule.h"
#include "findings/severity.h"
#include "session/facts/facts_exposed.h"

WL_DECLARE_RULE(straggler);

/* What makes a finding one of several ranks; texts by their numbers. No padding. */
struct key {
	uint32_t code, subject;
};

struct group {
	struct key key;
	const char *code, *subject; /* subject: NULL for none */
	const char *action;         /* of all ranks; NULL where they differ */
	uint32_t rank;              /* where the share of the window is largest */
	wl_ns claimed, saving, gpu_time;
	double share, window_share;
	bool is_of_steps;
};

struct merging {
	const struct wl_facts *f;
	struct wl_derived derived; /* with what exposed-comm claims */
	struct wl_run run;
	struct wl_rule_state d;
	uint32_t *first,
		*next;         /* by text: 1 + the first rank of that part; by rank: 1 + the next */
	struct wl_intern seen; /* struct key */
	struct wl_vec groups;  /* struct group */
	struct wl_vec no_sums; /* uint32_t: codes whose claims cannot be added */
	enum wl_reach reach;   /* of rules that are left out: up to this one */
};

static bool map_ranks(struct merging *m, struct wl_arena *arena)
{
	size_t n = m->f->n[WL_FACTS_RANKS];

	m->first = WL_NEW(arena, uint32_t, m->f->texts.at.n + 1);
	m->next = WL_NEW(arena, uint32_t, n);
	for (size_t i = n; m->first && m->next && i > 0; i--) {
		uint32_t part = wl_facts_u32(m->f, WL_FACTS_RANKS_PART, i - 1);

		m->next[i - 1] = m->first[part];
		m->first[part] = (uint32_t)i;
	}
	return m->first && m->next;
}

/* The rank of a finding; WL_NONE where facts that were made up have none. */
static uint32_t rank_of(const struct merging *m, size_t row)
{
	uint32_t device = wl_facts_u32(m->f, WL_FACTS_FINDINGS_DEVICE, row);
	uint32_t i = m->first[wl_facts_u32(m->f, WL_FACTS_FINDINGS_PART, row)];

	while (i && wl_facts_u32(m->f, WL_FACTS_RANKS_DEVICE, i - 1) != device)
		i = m->next[i - 1];
	return i ? i - 1 : WL_NONE;
}

static enum wl_reach reach_of(const char *code)
{
	const struct wl_rule *rule = wl_rule_of_code(code);

	return rule ? rule->reach : WL_REACH_RANK;
}

/* Where no rank is suspected, none is a straggler: neither of the job nor of a trace alone. */
static bool has_no_straggler(const struct merging *m, const struct wl_run *run)
{
	if (run->derived->stragglers->suspects->n)
		return false;
	for (size_t i = 0; i < m->f->n[WL_FACTS_FINDINGS]; i++) {
		if (strcmp(wl_facts_str(m->f, WL_FACTS_FINDINGS_CODE, i), wl_rule_straggler.code) ==
		    0)
			return false;
	}
	return true;
}

static bool calls_mpi(const struct wl_comm_queues *q)
{
	for (size_t i = 0; i < q->n; i++) {
		if (wl_comm_is_mpi(&q->queue[i]))
			return true;
	}
	return false;
}

/* What facts cannot answer. Without a straggler transfers are found again. */
static enum wl_reach reach_left_out(const struct merging *m, const struct wl_run *run)
{
	bool no_mpi = run->derived->stragglers->no_mpi;

	if (!no_mpi && has_no_straggler(m, run))
		return WL_REACH_TRANSFERS;
	return no_mpi || calls_mpi(&run->derived->matches->queues) ? WL_REACH_MPI : WL_REACH_LATE;
}

/* Of slow steps the subject is that of the rank that loses most. */
static struct key key_of(const struct merging *m, size_t row)
{
	const struct wl_rule *rule =
		wl_rule_of_code(wl_facts_str(m->f, WL_FACTS_FINDINGS_CODE, row));

	return (struct key){ wl_facts_u32(m->f, WL_FACTS_FINDINGS_CODE, row),
			     rule && rule->is_of_steps
				     ? 0
				     : wl_facts_u32(m->f, WL_FACTS_FINDINGS_SUBJECT, row) };
}

static double share_of(wl_ns part, wl_ns whole)
{
	return whole > 0 ? (double)part / (double)whole : 0;
}

/* NULL for an empty one. One text has one number, and so one address. */
static const char *text_at(const struct merging *m, enum wl_facts_column_id column, size_t row)
{
	const char *text = wl_facts_str(m->f, column, row);

	return *text ? text : NULL;
}

/* What a finding of a rank is as one of the job. */
static struct group group_of(const struct merging *m, size_t row, uint32_t rank)
{
	const struct wl_rule_gpu *gpu = &m->d.gpu[rank];
	struct group g = { .key = key_of(m, row),
			   .code = wl_facts_str(m->f, WL_FACTS_FINDINGS_CODE, row),
			   .subject = text_at(m, WL_FACTS_FINDINGS_SUBJECT, row),
			   .action = text_at(m, WL_FACTS_FINDINGS_ACTION, row),
			   .rank = rank,
			   .claimed = wl_facts_i64(m->f, WL_FACTS_FINDINGS_CLAIMED, row),
			   .saving = wl_facts_i64(m->f, WL_FACTS_FINDINGS_SAVING, row),
			   .gpu_time = wl_facts_i64(m->f, WL_FACTS_FINDINGS_GPU_TIME, row) };

	g.is_of_steps =
		gpu->by_step && strcmp(wl_facts_str(m->f, WL_FACTS_FINDINGS_PER, row), "step") == 0;
	g.window_share = share_of(g.claimed, gpu->window);
	g.share = g.is_of_steps ? share_of(g.claimed, gpu->length) : g.window_share;
	return g;
}

/* It saves what it claims: a rule that bounds the saving otherwise looks at all GPUs at once. */
static bool saves_all(const struct merging *m, const struct group *g)
{
	wl_ns steps = g->is_of_steps ? (wl_ns)m->d.gpu[g->rank].n_steps : 1;

	return g->claimed / steps == g->saving;
}

static void add_to(struct group *to, const struct group *g)
{
	wl_ns gpu_time = wl_add_up(to->gpu_time, g->gpu_time);
	const char *action = to->action == g->action ? g->action : NULL;

	/* Ranks come in no order; of equal ones it is the first. */
	if (g->window_share > to->window_share ||
	    (!(g->window_share < to->window_share) && g->rank < to->rank))
		*to = *g;
	to->gpu_time = gpu_time;
	to->action = action;
}

static bool is_left_out(const struct merging *m, uint32_t code)
{
	for (size_t i = 0; i < m->no_sums.n; i++) {
		if (((const uint32_t *)m->no_sums.data)[i] == code)
			return true;
	}
	return false;
}

static bool add_row(struct merging *m, size_t row)
{
	enum wl_reach reach = reach_of(wl_facts_str(m->f, WL_FACTS_FINDINGS_CODE, row));
	uint32_t rank = rank_of(m, row), at;
	struct group g;

	if (rank == WL_NONE || wl_facts_i64(m->f, WL_FACTS_FINDINGS_CLAIMED, row) <= 0 ||
	    wl_facts_i64(m->f, WL_FACTS_FINDINGS_GPU_TIME, row) < 0 ||
	    (reach != WL_REACH_RANK && reach <= m->reach))
		return true;
	g = group_of(m, row, rank);
	if (!saves_all(m, &g) && !is_left_out(m, g.key.code))
		wl_vec_push(&m->no_sums, &g.key.code);
	at = wl_intern_put(&m->seen, &g.key);
	if (at == m->groups.n)
		wl_vec_push(&m->groups, &g);
	else if (at != WL_NONE)
		add_to((struct group *)m->groups.data + at, &g);
	return at != WL_NONE && !m->groups.failed && !m->no_sums.failed;
}

static bool comes_before(const void *ctx, uint32_t a, uint32_t b)
{
	const struct group *g = ctx;

	return g[a].window_share > g[b].window_share;
}

/* Exposed communication of all ranks, as the rule finds it in the job. */
static bool add_exposed(struct merging *m)
{
	if (!wl_facts_exposed_find(&m->d))
		return false;
	for (size_t i = 0; i < m->d.findings.n; i++) {
		const struct wl_finding *f = (const struct wl_finding *)m->d.findings.data + i;
		const struct wl_rule_gpu *gpu = &m->d.gpu[f->gpu];

		wl_vec_push(&m->groups,
			    &(struct group){ .code = f->code,
					     .subject = f->subject,
					     .action = f->fix.action,
					     .rank = gpu->lane->device,
					     .saving = f->saving,
					     .gpu_time = f->gpu_time,
					     .share = f->share,
					     .window_share = f->window_share,
					     .is_of_steps = gpu->by_step && !f->of_window });
	}
	return !m->groups.failed;
}

static void put_row(const struct group *g, struct wl_table *out)
{
	wl_table_row(out);
	wl_put_str(out, wl_col_index(out, "code"), g->code);
	wl_put_str(out, wl_col_index(out, "subject"), g->subject);
	if (g->window_share < WL_LISTED_SHARE)
		wl_put_str(out, wl_col_index(out, "severity"), "minor");
	wl_put_i64(out, wl_col_index(out, "saving"), g->saving);
	wl_put_f64(out, wl_col_index(out, "share"), g->share);
	wl_put_i64(out, wl_col_index(out, "device"), g->rank);
	wl_put_str(out, wl_col_index(out, "per"), g->is_of_steps ? "step" : "window");
	wl_put_str(out, wl_col_index(out, "action"), g->action);
	wl_put_i64(out, wl_col_index(out, "gpu_time"), g->gpu_time);
	wl_put_i64(out, wl_col_index(out, "look_at"), g->rank);
	wl_put_f64(out, wl_col_index(out, "window_share"), g->window_share);
	/* Nothing is replayed: it saves at most what it claims. */
	wl_put_f64(out, wl_col_index(out, "saves_share"), g->window_share);
	wl_put_str(out, wl_col_index(out, "saves_kind"), wl_saves_kind_name(WL_SAVES_AT_MOST));
}

/* Which list is meant; the verb has one switch of that name. */
static bool has_minor(const struct wl_run *run)
{
	const struct wl_analysis *verb = wl_analysis_get("findings");

	for (size_t i = 0; i < verb->n_params; i++) {
		if (strcmp(verb->params[i].key, "all") == 0)
			return run->arg[i].flag;
	}
	return false;
}

/* Who may be a straggler, as ranks says it: the traces decide. */
static bool note_suspects(const struct merging *m, struct wl_table *out)
{
	const struct wl_stragglers *s = m->run.derived->stragglers;
	struct wl_rank_uses uses;

	return s->no_mpi || s->suspects->n == 0 ||
	       (wl_rank_use_find(m->run.derived, m->run.scope, m->run.arena, &uses) &&
		wl_rank_suspects_note(&m->run, &uses, out));
}

/* "a, b": the codes of rules that reach from lo to hi. */
static const char *codes_of(struct merging *m, enum wl_reach lo, enum wl_reach hi)
{
	const char *text = "";

	for (size_t i = 0; text && i < wl_n_rules; i++) {
		if (wl_rules[i]->reach >= lo && wl_rules[i]->reach <= hi)
			text = wl_say(&m->d, "%s%s%s", text, *text ? ", " : "", wl_rules[i]->code);
	}
	return text ? text : "";
}

static void note_minor(size_t n, struct wl_table *out)
{
	static const struct wl_cmdline all = { .verb = "findings", .option = { { "all", NULL } } };
	char before[64];

	(void)snprintf(before, sizeof(before), "%zu finding%s below 1%% (", n,
		       n == 1 ? " is" : "s are");
	wl_table_suggest(out, true, before, &all, n == 1 ? " lists it)" : " lists them)");
}

static void put_notes(struct merging *m, size_t n_minor, struct wl_table *out)
{
	wl_rule_state_cover(&m->d, out);
	if (m->reach == WL_REACH_MPI)
		wl_table_note(out,
			      "%s are left out: ranks may wait in MPI calls for one that is late",
			      codes_of(m, WL_REACH_MPI, WL_REACH_MPI));
	if (m->reach == WL_REACH_TRANSFERS)
		wl_table_note(out,
			      "facts hold no single events: savings are not replayed nor put into "
			      "words; no rank is a straggler; pipeline-bubble and findings "
			      "without a saving are left out: ask the traces");
	else
		wl_table_note(out,
			      "facts hold no single events: savings are not replayed nor put into "
			      "words; findings without a saving and those about communication "
			      "(%s) are left out: they depend on whether a rank is a straggler, "
			      "which the traces decide",
			      codes_of(m, WL_REACH_TRANSFERS, WL_REACH_LATE));
	for (size_t i = 0; i < m->groups.n; i++) {
		const struct group *g = (const struct group *)m->groups.data + i;

		if (is_left_out(m, g->key.code))
			wl_table_note(
				out,
				"%s is not judged: its saving is only known for all GPUs together",
				wl_facts_text(&m->f->texts, g->key.code));
	}
	if (n_minor)
		note_minor(n_minor, out);
}

static bool merge(struct merging *m, const struct wl_run *run, struct wl_table *out)
{
	const struct group *g;
	uint32_t *order;
	size_t n_minor = 0;

	m->reach = reach_left_out(m, run);
	m->run = *run;
	if (m->reach == WL_REACH_TRANSFERS &&
	    !wl_facts_exposed_run(m->f, run, &m->derived, &m->run))
		return false;
	if (!wl_rule_state_init(&m->d, &m->run) || !map_ranks(m, run->arena))
		return false;
	for (size_t i = 0; i < m->f->n[WL_FACTS_FINDINGS]; i++) {
		if (!add_row(m, i))
			return false;
	}
	if (m->reach == WL_REACH_TRANSFERS && !add_exposed(m))
		return false;
	g = m->groups.data;
	order = WL_NEW(run->arena, uint32_t, 2 * m->groups.n + 1);
	if (order)
		wl_sort_all(order, m->groups.n, comes_before, g);
	for (size_t i = 0; order && i < m->groups.n; i++) {
		bool is_minor = g[order[i]].window_share < WL_LISTED_SHARE;

		if (is_left_out(m, g[order[i]].key.code))
			continue;
		n_minor += is_minor;
		if (!is_minor || has_minor(run))
			put_row(&g[order[i]], out);
	}
	put_notes(m, has_minor(run) ? 0 : n_minor, out);
	return order && note_suspects(m, out) && !out->failed;
}

bool wl_facts_find(const struct wl_facts *facts, const struct wl_run *run, struct wl_table *out)
{
	struct wl_budget *budget = wl_arena_budget(run->arena);
	struct merging m = { .f = facts };
	bool ok;

	wl_intern_init(&m.seen, sizeof(struct key), budget);
	wl_vec_init(&m.groups, sizeof(struct group), budget);
	wl_vec_init(&m.no_sums, sizeof(uint32_t), budget);
	ok = merge(&m, run, out);
	wl_rule_state_release(&m.d);
	wl_vec_release(&m.no_sums);
	wl_vec_release(&m.groups);
	wl_intern_release(&m.seen);
	return ok;
}
