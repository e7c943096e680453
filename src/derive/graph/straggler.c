/* SPDX-License-Identifier: MIT */
#include "derive/graph/straggler.h"

#include "base/sort.h"
#include "derive/comm/host_clocks.h"
#include "derive/comm/matches.h"
#include "derive/derived.h"
#include "derive/graph/late_kernels.h"
#include "derive/graph/no_straggler.h"
#include "derive/graph/replay.h"
#include "derive/rows/stats.h"

enum { MOST_SUSPECTS = 4, SMALL_SAVING = 20 /* part of the makespan */ };

/* A member in one of its groups. */
struct suspect {
	uint32_t member, group;
	wl_ns alone;
};

/* First start and last end of operations. */
struct extent {
	wl_ns begin, end;
};

struct trial {
	const struct wl_derived *given;
	struct wl_arena *arena, *scratch;
	uint32_t *part;        /* by process: one of those that it meets, directly or by others */
	struct extent *extent; /* by part: as measured */
	struct wl_compared_by by;
	/* Of all replays, one after the other; all 0 between suspects. */
	struct wl_changes changes;
	struct wl_shifts shifts;
	struct wl_straggler *found;
	size_t n;
};

/* Waits of what cannot be matched may be anybody's: no verdict where that is a fifth. */
static bool is_matched_enough(const struct wl_matches *m)
{
	double all = 0, matched = 0;

	for (size_t i = 0; i < m->queues.n_ops; i++) {
		all += (double)m->queues.op[i].dur;
		matched += m->queues.op[i].match != WL_NONE ? (double)m->queues.op[i].dur : 0;
	}
	return all - matched <= all / 5;
}

/* How long a member of a group was late alone, and how often it was the last. */
struct lateness {
	wl_ns alone;
	size_t n_last;
};

/* By group and position in it. */
static bool add_up_alone(const struct wl_matches *m, struct wl_arena *scratch, size_t **ret_begin,
			 struct lateness **ret)
{
	size_t n = 0, *begin = WL_NEW(scratch, size_t, m->n_groups);
	struct lateness *late;

	for (size_t i = 0; begin && i < m->n_groups; n += m->group[i].n, i++)
		begin[i] = n;
	late = WL_NEW(scratch, struct lateness, n);
	if (!begin || !late)
		return false;
	for (size_t i = 0; i < m->n; i++) {
		struct lateness *of = &late[begin[m->set[m->at[i].set].group] + m->at[i].last];

		of->alone = wl_add_up(of->alone, m->at[i].alone);
		of->n_last++;
	}
	*ret_begin = begin;
	*ret = late;
	return true;
}

/* What the error of the clocks can make of arrivals at one moment is no lateness. */
static bool is_beyond_clocks(const struct wl_host_clocks *clocks, const struct lateness *late)
{
	return (double)late->alone > (double)late->n_last * (double)clocks->error;
}

/* Keep the suspects that are late most, each member once. */
static void keep(struct suspect *all, size_t *n, const struct suspect *s)
{
	size_t at = *n;

	for (size_t i = 0; i < *n; i++)
		at = all[i].member == s->member ? i : at;
	if (at < *n && all[at].alone >= s->alone)
		return;
	if (at == *n && *n == MOST_SUSPECTS) {
		at = *n - 1;
		if (all[at].alone >= s->alone)
			return;
	}
	*n += at == *n;
	for (; at > 0 && all[at - 1].alone < s->alone; at--)
		all[at] = all[at - 1];
	all[at] = *s;
}

static void widen(struct extent *e, wl_ns start, wl_ns end)
{
	e->begin = start < e->begin ? start : e->begin;
	e->end = end > e->end ? end : e->end;
}

static uint32_t part_of(const struct trial *t, uint32_t process)
{
	while (t->part[process] != process)
		process = t->part[process] = t->part[t->part[process]];
	return process;
}

static uint32_t process_of(const struct trial *t, uint32_t member)
{
	return t->given->matches->member[member].process;
}

/* Processes that meet in a group are of one part; groups that share nobody do not delay each other.
 */
static void join_groups(const struct trial *t)
{
	const struct wl_matches *m = t->given->matches;

	for (size_t i = 0; i < m->n_groups; i++) {
		for (size_t k = 1; k < m->group[i].n; k++)
			t->part[part_of(t, process_of(t, m->group[i].member[k]))] =
				part_of(t, process_of(t, m->group[i].member[0]));
	}
}

static bool measure_parts(struct trial *t)
{
	const struct wl_trace *trace = t->given->trace;

	t->part = WL_NEW(t->scratch, uint32_t, trace->n_processes);
	t->extent = WL_NEW(t->scratch, struct extent, trace->n_processes);
	if (!t->part || !t->extent)
		return false;
	for (uint32_t i = 0; i < trace->n_processes; i++) {
		t->part[i] = i;
		t->extent[i] = (struct extent){ INT64_MAX, INT64_MIN };
	}
	join_groups(t);
	for (unsigned kind = 0; kind < WL_N_OP_FAMILIES; kind++) {
		struct wl_ops ops = wl_trace_ops(trace, wl_op_families[kind]);

		for (size_t i = 0; i < ops.n; i++)
			widen(&t->extent[part_of(t, trace->places[ops.place[i]].process)],
			      ops.start[i], ops.start[i] + wl_dur(ops.family, ops.dur, i));
	}
	return true;
}

static wl_ns makespan_of(const struct trial *t, uint32_t member)
{
	const struct extent *e = &t->extent[part_of(t, process_of(t, member))];

	return e->end - e->begin;
}

static bool find_suspects(const struct trial *t, struct suspect *all, size_t *ret_n)
{
	const struct wl_matches *m = t->given->matches;
	size_t *begin = NULL;
	struct lateness *late = NULL;

	*ret_n = 0;
	if (!add_up_alone(m, t->scratch, &begin, &late))
		return false;
	for (uint32_t i = 0; i < m->n_groups; i++) {
		for (size_t k = 0; k < m->group[i].n; k++) {
			const struct lateness *of = &late[begin[i] + k];
			const struct suspect s = { m->group[i].member[k], i, of->alone };

			if (is_beyond_clocks(t->given->host_clocks, of) &&
			    s.alone >= makespan_of(t, s.member) / 100)
				keep(all, ret_n, &s);
		}
	}
	return true;
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
	struct extent extent = { INT64_MAX, INT64_MIN };
	uint32_t part = part_of(t, process_of(t, member));

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

static bool try_suspect(struct trial *t, const struct suspect *suspect)
{
	const struct wl_peers who =
		wl_peers_of_group(t->given->matches, suspect->group, suspect->member);
	struct wl_straggler found = { .member = suspect->member,
				      .group = suspect->group,
				      .makespan = makespan_of(t, suspect->member) };
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
	struct suspect suspect[MOST_SUSPECTS];
	bool ok = true;
	size_t n = 0;

	if (!measure_parts(t) || !find_suspects(t, suspect, &n))
		return false;
	if (n == 0)
		return true;
	if (!make_room(t))
		return false;
	if (!is_faithful(t, ret))
		return true;
	for (size_t i = 0; ok && i < n; i++)
		ok = try_suspect(t, &suspect[i]);
	if (ok)
		order_by_saving(t->found, t->n);
	return ok;
}

bool wl_stragglers_find(const struct wl_derived *given, struct wl_arena *arena,
			struct wl_stragglers *ret)
{
	struct wl_arena scratch;
	struct trial t = { .given = given,
			   .arena = arena,
			   .scratch = &scratch,
			   .found = WL_NEW(arena, struct wl_straggler, MOST_SUSPECTS) };
	bool ok = t.found != NULL;

	*ret = (struct wl_stragglers){ .at = t.found };
	ret->is_refused = !is_matched_enough(given->matches);
	ret->no_clock = given->host_clocks->is_refused;
	if (!ok || ret->is_refused || ret->no_clock || given->matches->n == 0)
		return ok;
	t.by = (struct wl_compared_by){ given, given->graph };
	wl_arena_init_child(&scratch, arena);
	ok = try_all(&t, ret);
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
