/* SPDX-License-Identifier: MIT */
#include "derive/graph/straggler.h"

#include "base/sort.h"
#include "derive/comm/host_clocks.h"
#include "derive/comm/matches.h"
#include "derive/derived.h"
#include "derive/graph/late_kernels.h"
#include "derive/graph/no_straggler.h"
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

/* The makespan of the member's part with what was changed so far. */
static bool replay(const struct trial *t, const struct wl_no_straggler *s, uint32_t member,
		   wl_ns *ret)
{
	const struct wl_scenario scenario = { s->change_of, s->changes.data };
	const struct wl_graph *g = t->given->graph;
	struct extent extent = { INT64_MAX, INT64_MIN };
	uint32_t part = part_of(t, process_of(t, member));
	struct wl_arena scratch;
	struct wl_replay run;
	bool ok;

	wl_arena_init_child(&scratch, t->scratch);
	ok = wl_replay_on(t->given->replay_plan, &scenario, &scratch, &run);
	for (uint32_t i = 0; ok && i < g->n_ops; i++) {
		if (part_of(t, g->trace->places[wl_graph_place(g, i)].process) == part)
			widen(&extent, run.start[i], run.end[i]);
	}
	wl_arena_release(&scratch);
	*ret = extent.end - extent.begin;
	return ok;
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
static bool find_shares(const struct trial *t, struct wl_no_straggler *s, struct wl_straggler *to)
{
	wl_ns with = to->makespan - to->saving, without = with;

	for (unsigned i = WL_N_LATE_SHARES - 1; i > 0; i--) {
		wl_no_straggler_undo(s, (enum wl_late_share)i);
		if (s->is_other[i] && !replay(t, s, to->member, &without))
			return false;
		to->share[i] = without - with;
		with = without;
	}
	to->share[0] = to->makespan - with;
	for (unsigned i = 0; i < WL_N_LATE_SHARES; i++) {
		to->own[i] = s->own[i];
		to->others[i] = s->others[i];
	}
	return true;
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
static bool compare(const struct trial *t, const struct wl_peers *who, struct wl_no_straggler *s,
		    struct wl_straggler *to)
{
	struct wl_arena scratch;
	wl_ns makespan = to->makespan;
	bool ok = true;

	if (!s->is_comparable)
		return true;
	for (unsigned i = 0; ok && i < WL_N_LATE_SHARES; i++)
		ok = wl_no_straggler_change(&t->by, s, (enum wl_late_share)i);
	if (!ok || !replay(t, s, who->member[0], &makespan))
		return false;
	if (makespan >= to->makespan || to->makespan - makespan < to->makespan / 100)
		return true;
	to->saving = to->makespan - makespan;
	wl_arena_init_child(&scratch, t->scratch);
	ok = find_shares(t, s, to) && wl_late_kernels_find(&t->by, &s->ops, &scratch, to);
	wl_arena_release(&scratch);
	if (ok)
		choose_reason(to);
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
	ok = wl_no_straggler_begin(&t->by, &who, &scratch, &s) && compare(t, &who, &s, &found);
	wl_no_straggler_end(&s);
	wl_arena_release(&scratch);
	if (ok && found.saving && !is_chance(&found))
		t->found[t->n++] = found;
	return ok;
}

/* A graph that does not give the measured times proves nothing. */
static bool is_faithful(const struct trial *t, struct wl_stragglers *ret, bool *ret_ok)
{
	struct wl_arena scratch;
	struct wl_replay run;

	wl_arena_init_child(&scratch, t->scratch);
	*ret_ok = wl_replay_on(t->given->replay_plan, NULL, &scratch, &run);
	ret->n_activities = t->given->graph->n_order;
	ret->n_moved = *ret_ok ? wl_replay_count_moved(t->given->graph, &run) : 0;
	wl_arena_release(&scratch);
	return *ret_ok && ret->n_moved == 0;
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
	if (!is_faithful(t, ret, &ok))
		return ok;
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
