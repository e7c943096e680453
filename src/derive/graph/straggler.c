/* SPDX-License-Identifier: MIT */
#include "derive/graph/straggler.h"

#include "derive/comm/matches.h"
#include "derive/derived.h"
#include "derive/graph/late_kernels.h"
#include "derive/graph/late_suspects.h"
#include "derive/graph/no_straggler.h"
#include "derive/graph/replay.h"

const char wl_no_mpi_in_facts[] =
	"MPI calls are not kept in facts where a rank has too many, or where several processes use "
	"one GPU: what ranks wait in them, and how late they are, is known from the traces";

enum { SMALL_SAVING = 20 /* part of the makespan */ };

struct trial {
	const struct wl_derived *given;
	struct wl_arena *arena, *scratch;
	struct wl_late_suspects suspects;
	struct wl_compared_by by;
	/* Of all replays, one after the other; all 0 between suspects. */
	struct wl_changes changes;
	struct wl_shifts shifts;
	struct wl_straggler *found;
	size_t n;
};

static void widen(struct wl_interval *e, wl_ns start, wl_ns end)
{
	e->begin = start < e->begin ? start : e->begin;
	e->end = end > e->end ? end : e->end;
}

/* By process: from the first start to the last end of operations. */
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

static uint32_t part_of(const struct trial *t, uint32_t process)
{
	return t->suspects.part[process];
}

/* Put the changes of a share into the replay, or take them back. */
static void apply(const struct trial *t, const struct wl_no_straggler *s, unsigned share,
		  bool is_on)
{
	const struct wl_replay_plan *plan = t->given->replay_plan;
	const struct wl_evened *change = s->changes.data;

	for (size_t i = s->first[share]; i < s->first[share + 1]; i++) {
		uint32_t activity = change[i].activity, p = plan->at[activity];

		if (wl_graph_is_own_length(plan->graph, activity))
			t->changes.length[p] =
				is_on ? change[i].length - wl_graph_length(plan->graph, activity)
				      : 0;
		/* A call that follows nothing keeps its time. */
		if (share == WL_LATE_BY_HOST && plan->first[p] < plan->first[p + 1])
			t->changes.gap[p] =
				is_on ? change[i].gap - wl_graph_gap(plan->graph, activity) : 0;
	}
}

/* The makespan of the member's part with what is changed now; has_gaps: some are of host gaps. */
static wl_ns replay(struct trial *t, uint32_t member, bool has_gaps)
{
	const struct wl_window_plan all = { .at = NULL };
	const struct wl_changes changes = { .gap = has_gaps ? t->changes.gap : NULL,
					    .length = t->changes.length };
	const struct wl_replay_plan *plan = t->given->replay_plan;
	const struct wl_graph *g = t->given->graph;
	struct wl_interval extent = { INT64_MAX, INT64_MIN };
	uint32_t part = part_of(t, t->given->matches->member[member].process);

	wl_shifts_run(plan, &all, &changes, &t->shifts);
	for (uint32_t i = 0; i < g->n_ops; i++) {
		size_t at = 2 * (size_t)plan->at[i];
		wl_ns start = wl_graph_start(g, i) + t->shifts.at[at];
		wl_ns end = wl_graph_end(g, i) + t->shifts.at[at + 1];

		if (part_of(t, g->trace->places[wl_graph_place(g, i)].process) == part)
			widen(&extent, start, end);
	}
	return extent.end - extent.begin;
}

/* Kernels are why by default: late_kernels.h has said which way. */
static void choose_reason(struct wl_straggler *s)
{
	unsigned most = 0;

	for (unsigned i = 1; i < WL_N_LATE_SHARES; i++)
		most = s->share[i] > s->share[most] ? i : most;
	if (most == WL_LATE_BY_COPIES)
		s->reason = WL_LATE_COPIES;
	else if (most == WL_LATE_BY_HOST)
		s->reason = WL_LATE_HOST;
}

/* The shares from the last to the first: a replay for each that changes anything. */
static void find_shares(struct trial *t, const struct wl_no_straggler *s, struct wl_straggler *to)
{
	wl_ns with = to->makespan - to->saving, without = with;

	for (unsigned i = WL_N_LATE_SHARES - 1; i > 0; i--) {
		apply(t, s, i, false);
		if (s->is_other[i])
			without = replay(t, to->member, false);
		to->share[i] = without - with;
		with = without;
	}
	to->share[0] = to->makespan - with;
	for (unsigned i = 0; i < WL_N_LATE_SHARES; i++) {
		to->own[i] = s->own[i];
		to->others[i] = s->others[i];
	}
}

/*
 * Lengths of kernels vary, and of equal members one is slower in every short run: a small saving by
 * kernels counts only where they are slower in nearly all steps.
 */
static bool is_chance(const struct wl_straggler *s)
{
	return s->reason <= WL_LATE_MORE_WORK && !s->is_steady &&
	       s->saving < s->makespan / SMALL_SAVING;
}

/* Find the saving, and of a straggler all else; saving stays 0 where nothing can be compared. */
static bool compare(struct trial *t, struct wl_no_straggler *s, struct wl_straggler *to)
{
	struct wl_arena scratch;
	wl_ns makespan;
	bool ok = true;

	for (unsigned i = 0; ok && i < WL_N_LATE_SHARES; i++)
		ok = wl_no_straggler_change(&t->by, s, (enum wl_late_share)i);
	if (!ok)
		return false;
	for (unsigned i = 0; i < WL_N_LATE_SHARES; i++)
		apply(t, s, i, true);
	makespan = replay(t, to->member, true);
	if (makespan < to->makespan && to->makespan - makespan >= to->makespan / 100) {
		to->saving = to->makespan - makespan;
		find_shares(t, s, to);
		wl_arena_init_child(&scratch, t->scratch);
		ok = wl_late_kernels_find(&t->by, &s->ops, &scratch, to);
		wl_arena_release(&scratch);
		if (ok)
			choose_reason(to);
	}
	for (unsigned i = 0; i < WL_N_LATE_SHARES; i++)
		apply(t, s, i, false);
	return ok;
}

static bool try_suspect(struct trial *t, const struct wl_late_suspect *suspect)
{
	const struct wl_peers who =
		wl_peers_of_group(t->given->matches, suspect->group, suspect->member);
	struct wl_straggler found = { .member = suspect->member,
				      .group = suspect->group,
				      .makespan = suspect->makespan };
	struct wl_no_straggler s;
	struct wl_arena scratch;
	bool ok;

	wl_arena_init_child(&scratch, t->scratch);
	ok = wl_no_straggler_begin(&t->by, &who, &scratch, &s) &&
	     (!s.is_comparable || compare(t, &s, &found));
	wl_no_straggler_end(&s);
	wl_arena_release(&scratch);
	if (ok && found.saving && !is_chance(&found))
		t->found[t->n++] = found;
	return ok;
}

/* A graph that does not give the measured times proves nothing. */
static bool is_faithful(struct trial *t, struct wl_stragglers *ret)
{
	const struct wl_window_plan all = { .at = NULL };
	const struct wl_changes none = { .gap = NULL };
	const struct wl_replay_plan *plan = t->given->replay_plan;

	wl_shifts_run(plan, &all, &none, &t->shifts);
	ret->n_activities = t->given->graph->n_order;
	for (size_t p = 1; p <= plan->n; p++)
		ret->n_moved += t->shifts.at[2 * p] != 0 || t->shifts.at[2 * p + 1] != 0;
	return ret->n_moved == 0;
}

/* Memory of the replays, which take turns with it. */
static bool make_room(struct trial *t)
{
	const struct wl_replay_plan *plan = t->given->replay_plan;

	t->changes.gap = WL_NEW(t->scratch, wl_ns, (size_t)plan->n + 1);
	t->changes.length = WL_NEW(t->scratch, wl_ns, (size_t)plan->n + 1);
	return t->changes.gap && t->changes.length && wl_shifts_make(plan, t->scratch, &t->shifts);
}

static void order_by_saving(struct wl_straggler *at, size_t n)
{
	for (size_t i = 1; i < n; i++) {
		struct wl_straggler s = at[i];
		size_t k = i;

		for (; k > 0 && at[k - 1].saving < s.saving; k--)
			at[k] = at[k - 1];
		at[k] = s;
	}
}

static bool try_all(struct trial *t, struct wl_stragglers *ret)
{
	bool ok = true;

	if (!make_room(t))
		return false;
	if (!is_faithful(t, ret))
		return true;
	for (size_t i = 0; ok && i < t->suspects.n; i++)
		ok = try_suspect(t, &t->suspects.at[i]);
	if (ok)
		order_by_saving(t->found, t->n);
	return ok;
}

static bool find_suspects(struct trial *t)
{
	const struct wl_interval *extent = find_extents(t->given->trace, t->scratch);

	return extent && wl_late_suspects_find(t->given, extent, t->scratch, &t->suspects);
}

bool wl_stragglers_find(const struct wl_derived *given, struct wl_arena *arena,
			struct wl_stragglers *ret)
{
	struct wl_arena scratch;
	struct trial t = { .given = given,
			   .arena = arena,
			   .scratch = &scratch,
			   .by = { given, given->graph },
			   .found = WL_NEW(arena, struct wl_straggler, WL_MOST_SUSPECTS) };
	bool ok;

	*ret = (struct wl_stragglers){ .at = t.found };
	wl_arena_init_child(&scratch, arena);
	ok = t.found && find_suspects(&t) && (t.suspects.n == 0 || try_all(&t, ret));
	ret->is_refused = t.suspects.is_refused;
	ret->no_clock = t.suspects.no_clock;
	ret->n = t.n;
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

const char *wl_late_reason_name(enum wl_late_reason reason)
{
	static const char *const name[] = {
		[WL_LATE_SLOW_GPU] = "slow GPU",   [WL_LATE_SLOW_KERNEL] = "slow kernel",
		[WL_LATE_MORE_WORK] = "more work", [WL_LATE_HOST] = "late host",
		[WL_LATE_COPIES] = "slow copies",
	};

	return name[reason];
}
