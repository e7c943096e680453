/* SPDX-License-Identifier: MIT */
#include "derive/graph/late/straggler.h"

#include "derive/comm/match/matches.h"
#include "derive/derived.h"
#include "derive/graph/late/late_evidence.h"
#include "derive/graph/late/late_stages.h"
#include "derive/graph/late/late_suspects.h"
#include "derive/graph/late/no_straggler.h"
#include "derive/graph/late/rank_holds.h"
#include "derive/graph/replay/early_calls.h"
#include "derive/graph/replay/launch_lags.h"
#include "derive/graph/replay/replay.h"
#include "derive/graph/step_lists.h"

enum { SMALL_SAVING = 20 /* below 1/SMALL_SAVING of the makespan */ };

struct trial {
	const struct wl_derived *given;
	struct wl_arena *arena, *scratch;
	struct wl_late_suspects *suspects;
	struct wl_step_bounds bounds;
	struct wl_interval *extent; /* by process */
	/* Shared by all replays, which run one after the other; all 0 between parts. */
	struct wl_changes changes;
	struct wl_shifts shifts;
	struct wl_straggler *found;
	size_t n;
	struct wl_late_set *set;
	size_t n_sets;
	struct wl_vec change; /* struct wl_evened of the named stragglers */
	/* Why the latest suspect is not named if no set is. */
	enum wl_late_verdict verdict;
	struct wl_stragglers *to;
};

/* The suspects of a part, latest first. */
struct part {
	uint32_t number;
	struct wl_interval extent;
	const struct wl_late_suspects *cells; /* by arrivals, or for stages by their own time */
	struct wl_late_peers compared;
	struct wl_evened_member *evened; /* by suspect */
	size_t n;
	size_t n_on;     /* how many suspects take as long as the others in the replay */
	uint32_t *early; /* positions of calls that start before the part does */
	wl_ns *of_early; /* by such call: the changes of its gap and length that are not replayed */
	size_t n_early;
	wl_ns *saves; /* by number of suspects; -1 if not replayed */
};

static void widen(struct wl_interval *e, wl_ns start, wl_ns end)
{
	e->begin = start < e->begin ? start : e->begin;
	e->end = end > e->end ? end : e->end;
}

/* The interval of each process from the first start to the last end of its operations. */
static struct wl_interval *find_extents(const struct wl_trace *trace, struct wl_arena *scratch)
{
	struct wl_interval *extent = WL_NEW(scratch, struct wl_interval, trace->n_processes);

	for (size_t i = 0; extent && i < trace->n_processes; i++)
		extent[i] = (struct wl_interval){ INT64_MAX, INT64_MIN };
	for (unsigned kind = 0; extent && kind < WL_N_OP_FAMILIES; kind++) {
		struct wl_ops ops = wl_trace_ops(trace, wl_op_families[kind]);

		for (size_t i = 0; i < ops.n; i++)
			widen(&extent[trace->places[ops.place[i]].process], ops.start[i],
			      ops.start[i] + wl_dur(ops.family, ops.dur, i));
	}
	return extent;
}

static uint32_t part_of(const struct trial *t, uint32_t member)
{
	return t->suspects->part[t->given->matches->member[member].process];
}

/* Apply the changes of a share to the replay, or undo them. */
static void apply(const struct trial *t, const struct wl_evened_member *of, unsigned share,
		  bool is_on)
{
	const struct wl_replay_plan *plan = t->given->replay_plan;
	const struct wl_evened *change = of->change[share].data;

	for (size_t i = 0; i < of->change[share].n; i++) {
		uint32_t activity = change[i].activity, p = plan->at[activity];

		if (change[i].is_dropped) {
			t->changes.lone[p] = is_on;
			t->changes.length[p] =
				is_on ? -wl_graph_own_length(plan->graph, activity) : 0;
		} else if (wl_graph_is_own_length(plan->graph, activity))
			t->changes.length[p] =
				is_on ? change[i].length - wl_graph_length(plan->graph, activity)
				      : 0;
		/* A call without a predecessor keeps its time. */
		if (share == WL_LATE_BY_HOST && plan->first[p] < plan->first[p + 1])
			t->changes.gap[p] =
				is_on ? change[i].gap - wl_graph_gap(plan->graph, activity) : 0;
	}
}

static void apply_first(const struct trial *t, struct part *p, size_t n)
{
	for (; p->n_on < n; p->n_on++) {
		for (unsigned i = 0; i < WL_N_LATE_SHARES; i++)
			apply(t, &p->evened[p->n_on], i, true);
	}
	for (; p->n_on > n; p->n_on--) {
		for (unsigned i = 0; i < WL_N_LATE_SHARES; i++)
			apply(t, &p->evened[p->n_on - 1], i, false);
	}
}

static bool find_early(const struct trial *t, struct part *p)
{
	const struct wl_replay_plan *plan = t->given->replay_plan;
	const struct wl_graph *g = t->given->graph;

	for (unsigned pass = 0; pass < 2; pass++) {
		p->n_early = 0;
		for (uint32_t i = 1; i <= plan->n; i++) {
			if (!(plan->flags[i] & WL_PLAN_CALL) ||
			    wl_graph_start(g, plan->activity[i]) >= p->extent.begin)
				continue;
			if (p->early)
				p->early[p->n_early] = i;
			p->n_early++;
		}
		if (!p->early)
			p->early = WL_NEW(t->scratch, uint32_t, p->n_early);
		if (!p->early)
			return false;
	}
	p->of_early = WL_NEW(t->scratch, wl_ns, 2 * p->n_early);
	return p->of_early != NULL;
}

/* Leave out changes that move calls that start before the part, or restore them. */
static void hold_early(struct trial *t, const struct part *p, bool is_back)
{
	for (size_t i = 0; i < p->n_early; i++) {
		wl_ns *gap = &t->changes.gap[p->early[i]],
		      *length = &t->changes.length[p->early[i]];

		if (is_back) {
			*gap = p->of_early[2 * i];
			*length = p->of_early[2 * i + 1];
		}
		p->of_early[2 * i] = *gap;
		p->of_early[2 * i + 1] = *length;
	}
	if (!is_back)
		wl_hold_early(t->given->replay_plan, p->early, p->n_early, &t->changes);
}

/* How much sooner the part ends with the current changes; its measured start is kept. */
static wl_ns replay(struct trial *t, const struct part *p)
{
	const struct wl_window_plan all = { .at = NULL };
	const struct wl_replay_plan *plan = t->given->replay_plan;
	const struct wl_graph *g = t->given->graph;
	wl_ns end = INT64_MIN;

	for (uint32_t i = 0; i < g->n_ops; i++)
		t->changes.gap[plan->at[i]] =
			wl_launch_lag_change(plan, t->changes.length, plan->at[i]);
	t->changes.holds_begin = true;
	t->changes.begin = p->extent.begin;
	hold_early(t, p, false);
	wl_shifts_run(plan, &all, &t->changes, &t->shifts);
	hold_early(t, p, true);
	for (uint32_t i = 0; i < g->n_ops; i++) {
		wl_ns at = wl_graph_end(g, i) + t->shifts.at[2 * (size_t)plan->at[i] + 1];
		uint32_t process = g->trace->places[wl_graph_place(g, i)].process;

		if (t->suspects->part[process] == p->number && at > end)
			end = at;
	}
	return p->extent.end - end;
}

/* The next number of suspects to replay together: one more if there are few, else twice as many. */
static size_t next_of(const struct part *p, size_t n)
{
	enum { EACH = 8 };
	size_t next = p->n <= EACH ? n + 1 : 2 * n;

	return next > p->n ? p->n : next;
}

static bool replay_all(struct trial *t, struct part *p)
{
	p->saves = WL_NEW(t->scratch, wl_ns, p->n + 1);
	if (!p->saves)
		return false;
	for (size_t i = 0; i <= p->n; i++)
		p->saves[i] = -1;
	for (size_t n = 1; p->n; n = next_of(p, n)) {
		wl_ns saves;

		apply_first(t, p, n);
		saves = replay(t, p);
		p->saves[n] = saves > 0 ? saves : 0;
		if (n == p->n)
			break;
	}
	return true;
}

/* The largest saving for any number of suspects. */
static wl_ns most_saved(const struct part *p)
{
	wl_ns most = 0;

	for (size_t i = 1; i <= p->n; i++)
		most = p->saves[i] > most ? p->saves[i] : most;
	return most;
}

static bool is_nearly(wl_ns saves, wl_ns most)
{
	return saves >= 0 && 10 * (double)saves >= 9 * (double)most;
}

/* The smallest number that saves nine tenths of the largest saving; 0 if none saves a hundredth of
 * the run. */
static size_t choose(const struct part *p)
{
	wl_ns most = most_saved(p);

	if (most == 0 || most < (p->extent.end - p->extent.begin) / 100)
		return 0;
	for (size_t i = 1; i <= p->n; i++) {
		if (is_nearly(p->saves[i], most))
			return i;
	}
	return p->n;
}

/* Move the suspect at a position behind the first n, or move it back. */
static void turn(struct part *p, size_t at, size_t n, bool is_back)
{
	struct wl_evened_member moved = p->evened[is_back ? n - 1 : at];

	if (is_back) {
		for (size_t i = n - 1; i > at; i--)
			p->evened[i] = p->evened[i - 1];
		p->evened[at] = moved;
		return;
	}
	for (size_t i = at; i + 1 < n; i++)
		p->evened[i] = p->evened[i + 1];
	p->evened[n - 1] = moved;
}

/*
 * A member that waits for a straggler may be later in its own group than the straggler is in
 * another. It is left out if the rest still save nine tenths of the most. Returns the number left.
 */
static size_t leave_out_victims(struct trial *t, struct part *p, size_t n)
{
	enum { EACH = 8 };
	const wl_ns most = most_saved(p);
	bool is_other = false;

	for (size_t i = 0; n > 1 && n <= EACH && i < n;) {
		wl_ns saves;

		apply_first(t, p, 0);
		turn(p, i, n, false);
		apply_first(t, p, n - 1);
		saves = replay(t, p);
		if (!is_nearly(saves, most)) {
			apply_first(t, p, 0);
			turn(p, i++, n, true);
			continue;
		}
		is_other = true;
		p->saves[--n] = saves;
	}
	for (size_t i = 1; is_other && i < n; i++) {
		wl_ns saves;

		apply_first(t, p, i);
		saves = replay(t, p);
		p->saves[i] = saves > 0 ? saves : 0;
	}
	apply_first(t, p, 0);
	return n;
}

/*
 * Find the shares from last to first, with one replay for each share that changes anything. The
 * whole set is applied at the start and undone at the end.
 */
static void find_shares(struct trial *t, struct part *p, struct wl_late_set *set)
{
	wl_ns with = set->saving;

	for (unsigned i = WL_N_LATE_SHARES - 1; i > 0; i--) {
		bool is_other = false;
		wl_ns without = with;

		for (size_t k = 0; k < p->n_on; k++) {
			apply(t, &p->evened[k], i, false);
			is_other |= p->evened[k].is_other[i];
		}
		if (is_other)
			without = replay(t, p);
		set->share[i] = with - without;
		with = without;
	}
	set->share[0] = with;
	apply_first(t, p, 0);
}

/*
 * Lengths of kernels vary, and in every short run one of several equal members is slower. A small
 * saving by kernels counts only if they are slower in nearly all steps.
 */
static bool is_chance(const struct wl_late_set *set)
{
	return set->reason <= WL_LATE_MORE_WORK && !set->is_steady &&
	       set->saving < set->makespan / SMALL_SAVING;
}

static void keep_changes(struct trial *t, const struct part *p, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		for (unsigned k = 0; k < WL_N_LATE_SHARES; k++) {
			const struct wl_vec *from = &p->evened[i].change[k];
			struct wl_evened *to = wl_vec_extend(&t->change, from->n);

			for (size_t c = 0; to && c < from->n; c++)
				to[c] = ((const struct wl_evened *)from->data)[c];
		}
	}
}

/* Record that none is named because the saving of the part with the latest suspect may be
 * chance. */
static void deny(struct trial *t, const struct part *p, const struct wl_late_set *set)
{
	if (part_of(t, t->suspects->at[0].member) != p->number)
		return;
	t->verdict = WL_LATE_BY_CHANCE;
	t->to->by_chance = (double)set->saving / (double)set->makespan;
}

static bool name(struct trial *t, struct part *p, size_t n)
{
	struct wl_late_set *set = &t->set[t->n_sets];
	struct wl_late_evidence evidence = { .given = t->given,
					     .compared = &p->compared,
					     .evened = p->evened,
					     .straggler = t->found + t->n };

	*set = (struct wl_late_set){ .lo = t->n,
				     .n = n,
				     .makespan = p->extent.end - p->extent.begin,
				     .is_of_stages = p->cells->is_of_stages,
				     .saving = p->saves[n],
				     .first = p->saves[1] };
	for (size_t i = 0; i < n; i++) {
		struct wl_straggler *s = &t->found[t->n + i];

		*s = (struct wl_straggler){ .member = p->evened[i].member,
					    .saves = p->saves[i + 1],
					    .set = (uint32_t)t->n_sets };
		for (size_t k = 0; k < p->cells->n; k++) {
			if (p->cells->at[k].member != s->member)
				continue;
			s->group = p->cells->at[k].group;
			s->late = p->cells->at[k].late;
		}
	}
	apply_first(t, p, n);
	find_shares(t, p, set);
	if (!wl_late_evidence_find(&evidence, t->arena, set))
		return false;
	if (is_chance(set)) {
		deny(t, p, set);
		return true;
	}
	keep_changes(t, p, n);
	t->n += n;
	t->n_sets++;
	return true;
}

/* The members of a part that have cells. */
static bool find_peers(const struct trial *t, struct part *p)
{
	const struct wl_matches *m = t->given->matches;
	const struct wl_compared_by by = { t->given, t->given->graph, &t->bounds, p->cells };
	uint32_t *member = WL_NEW(t->scratch, uint32_t, m->n_members);
	struct wl_peers who = { member, 0 };

	for (uint32_t i = 0; member && i < m->n_members; i++) {
		if (part_of(t, i) == p->number && p->cells->has[i])
			member[who.n++] = i;
	}
	return member && wl_late_peers_find(&by, &who, t->scratch, &p->compared);
}

/* The suspects of a part that can be compared with others. */
static bool even_out(struct trial *t, struct part *p)
{
	p->evened = WL_NEW(t->scratch, struct wl_evened_member, p->cells->n);
	for (size_t i = 0; p->evened && i < p->cells->n; i++) {
		uint32_t suspect = p->cells->at[i].member;
		bool ok;

		if (part_of(t, suspect) != p->number)
			continue;
		ok = wl_even_out(&p->compared, suspect, t->scratch, &p->evened[p->n++]);
		if (!ok)
			return false;
		if (!p->evened[p->n - 1].is_comparable) {
			wl_evened_release(&p->evened[--p->n]);
			t->verdict = i == 0 ? WL_LATE_OTHER_WORK : t->verdict;
		}
	}
	return p->evened != NULL;
}

static void release(struct part *p)
{
	for (size_t i = 0; p->evened && i < p->n; i++)
		wl_evened_release(&p->evened[i]);
}

/*
 * Neighbours in a pipeline arrive late by design. Stages with more time of their own are replayed
 * too, and are used if that saves more.
 */
static bool try_stages(struct trial *t, struct part *p)
{
	struct wl_late_suspects cells;
	struct part stages = { .number = p->number, .extent = p->extent, .cells = &cells };
	bool ok, is_latest = part_of(t, t->suspects->at[0].member) == p->number;

	apply_first(t, p, 0);
	stages.early = p->early;
	stages.of_early = p->of_early;
	stages.n_early = p->n_early;
	stages.compared = p->compared;
	stages.compared.by.cells = &cells;
	if (is_latest)
		t->verdict = WL_LATE_STAGES;
	ok = wl_late_stages_find(&p->compared, p->extent.end - p->extent.begin, t->arena, &cells) &&
	     even_out(t, &stages) && replay_all(t, &stages);
	if (ok && most_saved(&stages) > most_saved(p)) {
		size_t n = leave_out_victims(t, &stages, choose(&stages));

		apply_first(t, &stages, 0);
		ok = n == 0 || name(t, &stages, n);
		*p = (struct part){ .saves = NULL, .evened = p->evened, .n = p->n };
	}
	release(&stages);
	return ok;
}

static bool try_part(struct trial *t, uint32_t number)
{
	struct part p = { .number = number,
			  .extent = { INT64_MAX, INT64_MIN },
			  .cells = t->suspects };
	struct wl_arena *parent = t->scratch, scratch;
	size_t n;
	bool ok;

	for (uint32_t i = 0; i < t->given->trace->n_processes; i++) {
		if (t->suspects->part[i] == number)
			widen(&p.extent, t->extent[i].begin, t->extent[i].end);
	}
	wl_arena_init_child(&scratch, parent);
	t->scratch = &scratch;
	ok = find_early(t, &p) && find_peers(t, &p) && even_out(t, &p) && replay_all(t, &p);
	if (ok && wl_is_pipeline(t->given->matches, t->suspects, t->given->meshes, number))
		ok = try_stages(t, &p);
	if (ok && p.saves) {
		n = leave_out_victims(t, &p, choose(&p));
		apply_first(t, &p, 0);
		ok = n == 0 || name(t, &p, n);
	}
	release(&p);
	t->scratch = parent;
	wl_arena_release(&scratch);
	return ok;
}

/* A graph that does not reproduce the measured times proves nothing. */
static bool is_faithful(struct trial *t)
{
	const struct wl_window_plan all = { .at = NULL };
	const struct wl_changes none = { .gap = NULL };
	const struct wl_replay_plan *plan = t->given->replay_plan;

	wl_shifts_run(plan, &all, &none, &t->shifts);
	t->to->n_activities = t->given->graph->n_order;
	for (size_t p = 1; p <= plan->n; p++)
		t->to->n_moved += t->shifts.at[2 * p] != 0 || t->shifts.at[2 * p + 1] != 0;
	return t->to->n_moved == 0;
}

/* Allocate the memory that the replays share, one after the other. */
static bool make_room(struct trial *t)
{
	const struct wl_replay_plan *plan = t->given->replay_plan;

	t->changes.gap = WL_NEW(t->scratch, wl_ns, (size_t)plan->n + 1);
	t->changes.length = WL_NEW(t->scratch, wl_ns, (size_t)plan->n + 1);
	t->changes.lone = WL_NEW(t->scratch, uint8_t, (size_t)plan->n + 1);
	t->found = WL_NEW(t->arena, struct wl_straggler, t->given->matches->n_members);
	t->set = WL_NEW(t->arena, struct wl_late_set, t->given->matches->n_members);
	return t->changes.gap && t->changes.length && t->changes.lone && t->found && t->set &&
	       wl_shifts_make(plan, t->scratch, &t->shifts);
}

static void order_by_saving(struct trial *t)
{
	for (size_t i = 1; i < t->n_sets; i++) {
		struct wl_late_set s = t->set[i];
		size_t k = i;

		for (; k > 0 && t->set[k - 1].saving < s.saving; k--)
			t->set[k] = t->set[k - 1];
		t->set[k] = s;
	}
	for (uint32_t i = 0; i < t->n_sets; i++) {
		for (size_t k = 0; k < t->set[i].n; k++)
			t->found[t->set[i].lo + k].set = i;
	}
}

static void note_hold(struct trial *t)
{
	const struct wl_rank_holds *holds = t->given->rank_holds;

	if (wl_rank_holds_are_long(holds))
		t->to->hold = wl_rank_hold_of(holds, holds->worst);
}

/* Build the graph, which only the replay of suspects needs. */
static bool prepare(struct trial *t)
{
	if (t->found)
		return true;
	t->given = wl_derived_with(
		t->given, WL_FROM(GRAPH) | WL_FROM(RANK_HOLDS) | WL_FROM(REPLAY_PLAN), t->scratch);
	return t->given && make_room(t) && wl_step_bounds_find(t->given, t->scratch, &t->bounds);
}

static bool try_all(struct trial *t)
{
	bool ok = true;

	if (!prepare(t))
		return false;
	if (!is_faithful(t))
		return true;
	note_hold(t);
	for (size_t i = 0; ok && i < t->suspects->n; i++) {
		uint32_t part = part_of(t, t->suspects->at[i].member);
		size_t k = 0;

		while (part_of(t, t->suspects->at[k].member) != part)
			k++;
		if (k == i)
			ok = try_part(t, part);
	}
	if (ok)
		order_by_saving(t);
	return ok;
}

/* Steps begin where they do in the graph; only its calls are needed for that. */
static bool find_suspects(struct trial *t, enum wl_late_by by, struct wl_arena *scratch)
{
	struct wl_derived given = *t->given;
	struct wl_step_bounds bounds;
	struct wl_graph graph;

	t->suspects = WL_NEW(t->arena, struct wl_late_suspects, 1);
	if (!t->suspects)
		return false;
	if (!given.graph && !wl_graph_find_outer(t->given, scratch, &graph))
		return false;
	given.graph = given.graph ? given.graph : &graph;
	return wl_step_bounds_find(&given, scratch, &bounds) &&
	       wl_late_suspects_find(&given, &bounds, t->extent, by, t->arena, t->suspects);
}

static bool suspect(struct trial *t, enum wl_late_by by)
{
	struct wl_arena scratch;
	bool ok;

	t->extent = find_extents(t->given->trace, t->scratch);
	wl_arena_init_child(&scratch, t->scratch);
	ok = t->extent && find_suspects(t, by, &scratch);
	wl_arena_release(&scratch);
	return ok;
}

/*
 * If no member is very late at any collective, members may be slightly late at each of many.
 * Without a named member, such suspects are dropped and the result is as before.
 */
static bool try_in_all(struct trial *t)
{
	struct wl_late_suspects *first = t->suspects;
	const struct wl_stragglers before = *t->to;
	bool ok = suspect(t, WL_LATE_IN_ALL) && (t->suspects->n == 0 || try_all(t));

	if (!ok || t->n)
		return ok;
	t->suspects = first;
	t->verdict = WL_LATE_OTHERWISE;
	*t->to = before;
	return true;
}

static bool try_suspects(struct trial *t)
{
	if (!suspect(t, WL_LATE_AT_MOST) || (t->suspects->n && !try_all(t)))
		return false;
	return t->n || t->verdict != WL_LATE_OTHERWISE || t->to->n_moved || try_in_all(t);
}

static bool keep(struct trial *t)
{
	struct wl_evened *change = WL_NEW(t->arena, struct wl_evened, t->change.n);

	for (size_t i = 0; change && i < t->change.n; i++)
		change[i] = ((const struct wl_evened *)t->change.data)[i];
	t->to->at = t->found;
	t->to->n = t->n;
	t->to->set = t->set;
	t->to->n_sets = t->n_sets;
	t->to->change = change;
	t->to->n_changes = t->change.n;
	t->to->is_refused = t->suspects->is_refused;
	t->to->no_clock = t->suspects->no_clock;
	t->to->suspects = t->suspects;
	if (t->suspects->n && t->n == 0)
		t->to->verdict = t->verdict;
	return change && !t->change.failed;
}

bool wl_stragglers_try(const struct wl_derived *given, struct wl_arena *arena,
		       struct wl_stragglers *ret)
{
	struct wl_arena scratch;
	struct trial t = { .given = given,
			   .arena = arena,
			   .scratch = &scratch,
			   .to = ret,
			   .verdict = WL_LATE_OTHERWISE };
	bool ok;

	*ret = (struct wl_stragglers){ .verdict = WL_LATE_NOBODY, .error = -1 };
	wl_arena_init_child(&scratch, arena);
	wl_vec_init(&t.change, sizeof(struct wl_evened), wl_arena_budget(arena));
	ok = try_suspects(&t) && keep(&t);
	wl_vec_release(&t.change);
	wl_arena_release(&scratch);
	return ok;
}

const struct wl_straggler *wl_straggler_of(const struct wl_stragglers *all, uint32_t member)
{
	for (size_t i = 0; i < all->n; i++) {
		if (all->at[i].member == member)
			return &all->at[i];
	}
	return NULL;
}
