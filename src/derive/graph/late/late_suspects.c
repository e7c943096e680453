/* SPDX-License-Identifier: MIT */
#include "derive/graph/late/late_suspects.h"

#include "base/memory/sort.h"
#include "derive/comm/clocks/host_clocks.h"
#include "derive/comm/match/arrivals.h"
#include "derive/derived.h"
#include "derive/graph/step_lists.h"
#include "derive/iters/change.h"
#include "derive/iters/iters.h"
#include "derive/kinds/classes.h"
#include "derive/rows/stats.h"

struct search {
	const struct wl_derived *given;
	const struct wl_matches *m;
	const struct wl_step_bounds *bounds;
	const struct wl_interval *extent; /* by process */
	enum wl_late_by by;
	struct wl_arena *arena, *scratch;
	uint32_t *part; /* by process: another process of its part, or itself */
	uint64_t *meets;
	uint8_t *cell;
	bool *has;
	wl_ns *late;     /* by member and step; steps count from 1, and 0 is before the first */
	wl_ns *by_group; /* by group and position in it: lateness of the member there */
	bool *in_turn;   /* by member: it is the latest in some step, if such lateness sums to a
			    hundredth */
	struct wl_late_suspects *to;
};

/* Waits in unmatched communication can be caused by any rank: no verdict if they are a fifth. */
static bool is_matched_enough(const struct wl_matches *m)
{
	double all = 0, matched = 0;

	for (size_t i = 0; i < m->queues.n_ops; i++) {
		all += (double)m->queues.op[i].dur;
		matched += m->queues.op[i].match != WL_NONE ? (double)m->queues.op[i].dur : 0;
	}
	return all - matched <= all / 5;
}

static uint32_t part_of(const struct search *s, uint32_t process)
{
	while (s->part[process] != process)
		process = s->part[process] = s->part[s->part[process]];
	return process;
}

static uint32_t process_of(const struct search *s, uint32_t member)
{
	return s->m->member[member].process;
}

/* Processes that meet in a group belong to one part. */
static void join_group(const struct search *s, const struct wl_comm_group *g)
{
	size_t words = (s->m->n_members + 63) / 64;

	for (size_t i = 0; i < g->n; i++) {
		s->part[part_of(s, process_of(s, g->member[i]))] =
			part_of(s, process_of(s, g->member[0]));
		for (size_t k = 0; k < g->n; k++)
			s->meets[g->member[i] * words + g->member[k] / 64] |= UINT64_C(1)
									      << g->member[k] % 64;
	}
}

static bool make_parts(struct search *s)
{
	size_t n = s->given->trace->n_processes, words = (s->m->n_members + 63) / 64;

	s->part = WL_NEW(s->arena, uint32_t, n);
	s->meets = WL_NEW(s->arena, uint64_t, words * s->m->n_members);
	if (!s->part || !s->meets)
		return false;
	for (uint32_t i = 0; i < n; i++)
		s->part[i] = i;
	for (size_t i = 0; i < s->m->n_groups; i++)
		join_group(s, &s->m->group[i]);
	for (uint32_t i = 0; i < n; i++)
		s->part[i] = part_of(s, i);
	s->to->meets = s->meets;
	s->to->n_members = s->m->n_members;
	return true;
}

static const struct wl_process_iters *iters_of(const struct search *s, uint32_t member)
{
	return &s->given->iterations->process[process_of(s, member)];
}

/* The most common number of steps among members; ties go to the first member. */
static size_t commonest(const struct search *s, size_t *ret_members)
{
	size_t best = 0;

	*ret_members = 0;
	for (uint32_t i = 0; i < s->m->n_members; i++) {
		size_t n = 0, steps = iters_of(s, i)->n;

		for (uint32_t k = 0; steps && k < s->m->n_members; k++)
			n += iters_of(s, k)->n == steps;
		if (n > *ret_members) {
			*ret_members = n;
			best = steps;
		}
	}
	return best;
}

/* Set the step to the median over steps of the longest period of any member. */
static bool find_step(struct search *s)
{
	size_t n = s->to->n_steps - 1;
	int64_t *period = WL_NEW(s->scratch, int64_t, n + 1);

	for (uint32_t i = 0; period && i < s->m->n_members; i++) {
		const struct wl_iteration *at = s->has[i] ? iters_of(s, i)->at : NULL;

		for (size_t k = 0; at && k < n; k++) {
			wl_ns of = at[k + 1].tile.begin - at[k].tile.begin;

			period[k] = of > period[k] ? of : period[k];
		}
	}
	if (!period)
		return false;
	s->to->step = wl_middle(period, n);
	return true;
}

static struct wl_interval extent_of_all(const struct search *s, uint32_t member)
{
	struct wl_interval ret = { INT64_MAX, INT64_MIN };

	for (uint32_t i = 0; i < s->m->n_members; i++) {
		const struct wl_interval *e = &s->extent[process_of(s, i)];

		if (member != WL_NONE && !wl_members_meet(s->to, member, i))
			continue;
		ret.begin = e->begin < ret.begin ? e->begin : ret.begin;
		ret.end = e->end > ret.end ? e->end : ret.end;
	}
	return ret;
}

static bool make_cells(struct search *s)
{
	size_t n = s->m->n_members, n_alike;

	s->to->n_steps = commonest(s, &n_alike);
	s->to->is_whole = n_alike < 2;
	s->to->n_steps = s->to->is_whole ? 1 : s->to->n_steps;
	s->has = WL_NEW(s->arena, bool, n);
	s->cell = WL_NEW(s->arena, uint8_t, n * s->to->n_steps);
	s->late = WL_NEW(s->scratch, wl_ns, n * (s->to->n_steps + 1));
	if (!s->has || !s->cell || !s->late)
		return false;
	for (uint32_t i = 0; i < n; i++)
		s->has[i] = s->to->is_whole || iters_of(s, i)->n == s->to->n_steps;
	s->to->has = s->has;
	s->to->cell = s->cell;
	if (!s->to->is_whole && !find_step(s))
		return false;
	if (s->to->is_whole || s->to->n_steps == 1) {
		struct wl_interval e = extent_of_all(s, WL_NONE);

		s->to->step = e.end > e.begin ? e.end - e.begin : 0;
	}
	return true;
}

/* The step of an operation, counted from 1; 0 before the first. */
static size_t step_of(const struct search *s, uint32_t member, const struct wl_comm_op *op)
{
	uint32_t activity, step;

	if (s->to->is_whole)
		return 1;
	activity = s->bounds ? wl_graph_comm_op(s->given->graph, &s->m->queues, op) : WL_NONE;
	step = activity == WL_NONE ? wl_iteration_around(iters_of(s, member), op->start)
				   : wl_step_of(s->given, s->bounds, activity);
	return step == WL_NONE ? 0 : (size_t)step + 1;
}

/* Find, by group, the offset of its members among all. */
static bool number_places(struct search *s, size_t **ret)
{
	size_t n = 0, *begin = WL_NEW(s->scratch, size_t, s->m->n_groups);

	for (size_t i = 0; begin && i < s->m->n_groups; n += s->m->group[i].n, i++)
		begin[i] = n;
	s->by_group = WL_NEW(s->scratch, wl_ns, n);
	*ret = begin;
	return begin && s->by_group;
}

static size_t place_in(const struct wl_comm_group *g, uint32_t member)
{
	size_t lo = 0, hi = g->n;

	while (lo < hi) {
		size_t mid = lo + (hi - lo) / 2;

		if (g->member[mid] < member)
			lo = mid + 1;
		else
			hi = mid;
	}
	return lo;
}

static bool measure(struct search *s, const size_t *begin)
{
	const struct wl_comm_queues *q = &s->m->queues;
	struct wl_arrivals arrivals;

	if (!wl_arrivals_find(s->m, s->scratch, &arrivals))
		return false;
	for (size_t i = 0; i < q->n_ops; i++) {
		uint32_t member = s->m->member_of[q->op[i].queue], group;
		wl_ns late = s->has[member] ? wl_arrival_lateness(s->m, &arrivals, i) : 0, *cell;

		if (late <= 0)
			continue;
		cell = &s->late[member * (s->to->n_steps + 1) + step_of(s, member, &q->op[i])];
		if (s->by == WL_LATE_IN_ALL)
			*cell = wl_add_up(*cell, late);
		else
			*cell = late > *cell ? late : *cell;
		group = s->m->set[s->m->at[q->op[i].match].set].group;
		cell = &s->by_group[begin[group] + place_in(&s->m->group[group], member)];
		*cell = wl_add_up(*cell, late);
	}
	return true;
}

static uint32_t latest_group(const struct search *s, const size_t *begin, uint32_t member)
{
	uint32_t best = WL_NONE;
	wl_ns most = 0;

	for (uint32_t i = 0; i < s->m->n_groups; i++) {
		const struct wl_comm_group *g = &s->m->group[i];
		size_t k = place_in(g, member);
		wl_ns late = k < g->n && g->member[k] == member ? s->by_group[begin[i] + k] : 0;

		if (late > most) {
			most = late;
			best = i;
		}
	}
	return best;
}

static const wl_ns *late_in(const struct search *s, size_t member)
{
	return s->late + member * (s->to->n_steps + 1);
}

static bool is_late(const struct search *s, wl_ns late)
{
	return late > 0 && late >= s->to->step / 100 && late > s->given->host_clocks->error;
}

static size_t latest_in(const struct search *s, size_t step)
{
	size_t latest = 0;

	for (size_t i = 1; i < s->m->n_members; i++) {
		if (late_in(s, i)[step] > late_in(s, latest)[step])
			latest = i;
	}
	return latest;
}

/*
 * If a different member is late in each of several steps, each may be late by less than a hundredth
 * of the run, but all together by much more. The latest members of such steps are then suspects.
 * Every step has a latest member, so lateness below three times the usual is normal variation.
 */
static bool find_turns(struct search *s)
{
	enum { TIMES = 3 };
	size_t n = s->to->n_steps;
	struct wl_interval run = extent_of_all(s, WL_NONE);
	int64_t *most = WL_NEW(s->scratch, int64_t, n);
	wl_ns sum = 0, usual;

	s->in_turn = WL_NEW(s->scratch, bool, s->m->n_members);
	if (!s->in_turn || !most || s->to->is_whole || s->by == WL_LATE_IN_ALL)
		return s->in_turn && most;
	for (size_t k = 0; k < n; k++)
		most[k] = late_in(s, latest_in(s, k + 1))[k + 1];
	usual = wl_select_i64(most, n, n / 2);
	for (size_t k = 1; k <= n; k++) {
		size_t latest = latest_in(s, k);
		wl_ns late = late_in(s, latest)[k];

		if (!is_late(s, late) || late / TIMES < usual)
			continue;
		s->in_turn[latest] = true;
		sum = wl_add_up(sum, late);
	}
	for (size_t i = 0; sum < (run.end - run.begin) / 100 && i < s->m->n_members; i++)
		s->in_turn[i] = false;
	return true;
}

/* Whether a member is a suspect; marks its suspect cells. */
static bool is_suspect(const struct search *s, struct wl_late_suspect *suspect)
{
	const wl_ns *late = late_in(s, suspect->member);
	uint8_t *cell = s->cell + suspect->member * s->to->n_steps;
	struct wl_interval run = extent_of_all(s, suspect->member);

	for (size_t i = 0; i <= s->to->n_steps; i++) {
		if (!is_late(s, late[i]))
			continue;
		suspect->late = wl_add_up(suspect->late, late[i]);
		suspect->n_late++;
		if (i)
			cell[i - 1] |= WL_CELL_SUSPECT;
	}
	suspect->run = run.end > run.begin ? run.end - run.begin : 0;
	return suspect->late > 0 &&
	       (suspect->late >= suspect->run / 100 || s->in_turn[suspect->member]);
}

struct order {
	const struct search *s;
	const struct wl_late_suspect *at;
};

static bool comes_before(const void *ctx, uint32_t a, uint32_t b)
{
	const struct order *o = ctx;

	if (o->at[a].late != o->at[b].late)
		return o->at[a].late > o->at[b].late;
	return wl_member_is_before(o->s->m, o->s->given->ranks, o->at[a].member, o->at[b].member);
}

/* Find the total compute time of each member's kernels. */
static wl_ns *find_work(const struct search *s)
{
	const struct wl_trace *t = s->given->trace;
	const struct wl_ops ops = wl_trace_ops(t, WL_F_KERNELS);
	wl_ns *by_place = WL_NEW(s->scratch, wl_ns, t->n_places);
	wl_ns *ret = WL_NEW(s->scratch, wl_ns, s->m->n_members);

	if (!by_place || !ret)
		return NULL;
	for (size_t i = 0; i < ops.n; i++) {
		if (wl_class_of(t, s->given->classes, WL_F_KERNELS, i) == WL_COMPUTE)
			by_place[ops.place[i]] += wl_dur(ops.family, ops.dur, i);
	}
	for (size_t i = 0; i < t->n_places; i++) {
		for (size_t k = 0; by_place[i] && k < s->m->n_members; k++) {
			if (s->m->member[k].process == t->places[i].process &&
			    s->m->member[k].device == t->places[i].device)
				ret[k] = wl_add_up(ret[k], by_place[i]);
		}
	}
	return ret;
}

/* How much longer its kernels compute than those of the median member that it meets. */
static wl_ns more_work(const struct search *s, const wl_ns *work, uint32_t member, int64_t *room)
{
	size_t n = 0;

	for (uint32_t i = 0; i < s->m->n_members; i++) {
		if (wl_members_meet(s->to, member, i))
			room[n++] = work[i];
	}
	return n ? work[member] - wl_select_i64(room, n, (n - 1) / 2) : 0;
}

/*
 * Of the members that are late in sum, keep those that compute longer by a hundredth of the run,
 * because replaying the others would be useless, and that are at least a quarter as late as the
 * latest one of their part.
 */
static bool keep_latest(const struct search *s, struct wl_late_suspect *found)
{
	enum { PART = 4 };
	wl_ns *most = WL_NEW(s->scratch, wl_ns, s->given->trace->n_processes);
	int64_t *room = WL_NEW(s->scratch, int64_t, s->m->n_members);
	wl_ns *work = find_work(s);
	size_t n = s->to->n;

	if (!most || !room || !work)
		return false;
	s->to->n = 0;
	for (size_t i = 0; i < n; i++) {
		uint32_t part = part_of(s, process_of(s, found[i].member));

		if (more_work(s, work, found[i].member, room) < found[i].run / 100)
			continue;
		most[part] = found[i].late > most[part] ? found[i].late : most[part];
		found[s->to->n++] = found[i];
	}
	n = s->to->n;
	s->to->n = 0;
	for (size_t i = 0; i < n; i++) {
		if (found[i].late >= most[part_of(s, process_of(s, found[i].member))] / PART)
			found[s->to->n++] = found[i];
	}
	return true;
}

static bool list(struct search *s, const size_t *begin)
{
	size_t n = s->m->n_members;
	struct wl_late_suspect *found = WL_NEW(s->scratch, struct wl_late_suspect, n);
	uint32_t *order = WL_NEW(s->scratch, uint32_t, 2 * n);

	s->to->at = WL_NEW(s->arena, struct wl_late_suspect, n);
	if (!found || !order || !s->to->at || !find_turns(s))
		return false;
	for (uint32_t i = 0; i < n; i++) {
		struct wl_late_suspect *suspect = &found[s->to->n];

		*suspect = (struct wl_late_suspect){ .member = i };
		if (!is_suspect(s, suspect))
			continue;
		suspect->group = latest_group(s, begin, i);
		s->to->n += suspect->group != WL_NONE;
	}
	if (s->by == WL_LATE_IN_ALL && !keep_latest(s, found))
		return false;
	for (uint32_t i = 0; i < s->to->n; i++)
		order[i] = i;
	wl_sort_index(order, s->to->n, order + n, comes_before, &(struct order){ s, found });
	for (size_t i = 0; i < s->to->n; i++)
		s->to->at[i] = found[order[i]];
	return true;
}

/* Lateness shows at the next collective, so the cell before a suspect one is changed too. */
static void mark_changed(const struct search *s)
{
	for (size_t i = 0; i < s->to->n; i++) {
		uint8_t *cell = s->cell + s->to->at[i].member * s->to->n_steps;

		for (size_t k = 0; k < s->to->n_steps; k++) {
			if (!(cell[k] & WL_CELL_SUSPECT))
				continue;
			cell[k] |= WL_CELL_CHANGED;
			if (k)
				cell[k - 1] |= WL_CELL_CHANGED;
		}
	}
}

static bool find(struct search *s)
{
	size_t *begin;
	bool ok = make_parts(s) && make_cells(s) && number_places(s, &begin) && measure(s, begin) &&
		  list(s, begin);

	if (ok)
		mark_changed(s);
	s->to->part = s->part;
	return ok;
}

bool wl_late_suspects_find(const struct wl_derived *given, const struct wl_step_bounds *bounds,
			   const struct wl_interval *extent, enum wl_late_by by,
			   struct wl_arena *arena, struct wl_late_suspects *ret)
{
	struct wl_arena scratch;
	struct search s = { .given = given,
			    .m = given->matches,
			    .bounds = bounds,
			    .extent = extent,
			    .by = by,
			    .arena = arena,
			    .scratch = &scratch,
			    .to = ret };
	bool ok;

	*ret = (struct wl_late_suspects){ .is_refused = !is_matched_enough(given->matches),
					  .no_clock = given->host_clocks->is_refused };
	if (ret->is_refused || ret->no_clock || given->matches->n == 0)
		return true;
	wl_arena_init_child(&scratch, arena);
	ok = find(&s);
	wl_arena_release(&scratch);
	return ok;
}
