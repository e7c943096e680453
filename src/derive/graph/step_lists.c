/* SPDX-License-Identifier: MIT */
#include "derive/graph/step_lists.h"

#include "base/memory/bound.h"
#include "base/memory/sort.h"
#include "derive/derived.h"
#include "derive/iters/iters.h"

struct listing {
	const struct wl_derived *given;
	const struct wl_graph *g;
	struct wl_arena *arena, *scratch;
	struct wl_listed_steps *process;
	uint32_t **first_op, **begin_op; /* by process, then step */
	uint32_t *lane_of;  /* by stream of the graph, then by thread: lane number in its process */
	size_t *most_lanes; /* by process */
	size_t *first;
};

static const struct wl_process_iters *iters_of(const struct listing *l, size_t process)
{
	return &l->given->iterations->process[process];
}

/* For an operation, the start of its launch; for a call, its own start. */
static wl_ns host_time(const struct listing *l, uint32_t activity)
{
	uint32_t row = activity < l->g->n_ops ? wl_graph_launch(l->g, activity) : WL_NONE;

	if (row != WL_NONE && l->g->n_calls)
		return wl_graph_call_start(l->g, l->g->outer[row]);
	return wl_graph_start(l->g, activity);
}

/* The step of an activity; WL_NONE before the first. */
static uint32_t step_of(const struct listing *l, const struct wl_listed_steps *p, uint32_t process,
			uint32_t activity)
{
	size_t n;

	if (p->n == 0)
		return WL_NONE;
	if (activity < l->g->n_ops &&
	    (wl_graph_launch(l->g, activity) == WL_NONE || !l->g->n_calls)) {
		n = WL_UPTO_BY(wl_iteration, tile.begin, iters_of(l, process)->at, p->n,
			       wl_graph_start(l->g, activity));
	} else {
		n = WL_UPTO(p->begin, p->n, host_time(l, activity));
	}
	return n ? (uint32_t)(n - 1) : WL_NONE;
}

/* On equal starts, the operation that was launched first comes first. */
static bool starts_first(const struct listing *l, uint32_t op, uint32_t than)
{
	wl_ns start = wl_graph_start(l->g, op), other = wl_graph_start(l->g, than);

	return start != other ? start < other : host_time(l, op) < host_time(l, than);
}

static void note_first(const struct listing *l, uint32_t op)
{
	uint32_t process = wl_graph_process(l->g, op), step;
	uint32_t *first, *begin;

	if (l->process[process].n == 0)
		return;
	step = wl_iteration_of(l->g->trace, iters_of(l, process), wl_graph_start(l->g, op),
			       wl_graph_launch(l->g, op));
	if (step == WL_NONE)
		return;
	first = &l->first_op[process][step];
	if (*first == WL_NONE || starts_first(l, op, *first))
		*first = op;
	begin = &l->begin_op[process][step];
	if (wl_graph_start(l->g, op) >= iters_of(l, process)->at[step].tile.begin &&
	    (*begin == WL_NONE || starts_first(l, op, *begin)))
		*begin = op;
}

/* Steps begin in ascending order, whichever threads launch. */
static bool find_begins(struct listing *l)
{
	l->first_op = WL_NEW(l->scratch, uint32_t *, l->g->trace->n_processes);
	l->begin_op = WL_NEW(l->scratch, uint32_t *, l->g->trace->n_processes);
	if (!l->first_op || !l->begin_op)
		return false;
	for (size_t i = 0; i < l->g->trace->n_processes; i++) {
		size_t n = iters_of(l, i)->n;
		uint32_t *first = WL_NEW(l->arena, uint32_t, n);
		uint32_t *begin = WL_NEW(l->arena, uint32_t, n);

		if (!first || !begin)
			return false;
		for (size_t k = 0; k < n; k++)
			first[k] = begin[k] = WL_NONE;
		l->process[i].n = n;
		l->process[i].first_op = l->first_op[i] = first;
		l->process[i].begin_op = l->begin_op[i] = begin;
	}
	for (uint32_t i = 0; i < l->g->n_ops; i++)
		note_first(l, i);
	for (size_t i = 0; i < l->g->trace->n_processes; i++) {
		struct wl_listed_steps *p = &l->process[i];
		wl_ns *begin = WL_NEW(l->arena, wl_ns, p->n), last = INT64_MIN;

		if (!begin)
			return false;
		for (size_t k = 0; k < p->n; k++) {
			wl_ns at = p->first_op[k] == WL_NONE ? iters_of(l, i)->at[k].tile.begin
							     : host_time(l, p->first_op[k]);

			last = begin[k] = at > last ? at : last;
		}
		p->begin = begin;
	}
	return true;
}

static size_t lane_at(const struct wl_graph *g, uint32_t activity)
{
	if (activity < g->n_ops)
		return g->lane[wl_graph_place(g, activity)];
	return g->n_lanes + wl_graph_call_thread(g, activity - g->n_ops);
}

/*
 * The most lanes that the steps of a process can have before their lists are mostly empty: 8 for
 * each activity of a step, and some. A trace with one thread per call has more.
 */
static bool find_most_lanes(struct listing *l)
{
	enum { SOME = 16, EACH = 8 };
	size_t n_processes = l->g->trace->n_processes;

	l->most_lanes = WL_NEW(l->scratch, size_t, n_processes);
	for (size_t i = 0; l->most_lanes && i < l->g->n_order; i++)
		l->most_lanes[wl_graph_process(l->g, l->g->order[i])]++;
	for (size_t i = 0; l->most_lanes && i < n_processes; i++) {
		size_t n_steps = l->process[i].n;

		l->most_lanes[i] = SOME + EACH * l->most_lanes[i] / (n_steps ? n_steps : 1);
	}
	return l->most_lanes != NULL;
}

/* Number the lanes of each process that have activities; lanes beyond the maximum share the last
 * number. */
static bool number_lanes(struct listing *l)
{
	size_t n = l->g->n_lanes + l->g->trace->n_threads;

	l->lane_of = WL_NEW(l->scratch, uint32_t, n);
	for (size_t i = 0; l->lane_of && i < n; i++)
		l->lane_of[i] = WL_NONE;
	for (size_t i = 0; l->lane_of && i < l->g->n_order; i++) {
		uint32_t *lane = &l->lane_of[lane_at(l->g, l->g->order[i])];
		uint32_t process = wl_graph_process(l->g, l->g->order[i]);
		size_t *n_lanes = &l->process[process].n_lanes;

		if (*lane != WL_NONE)
			continue;
		*n_lanes += *n_lanes < l->most_lanes[process];
		*lane = (uint32_t)(*n_lanes - 1);
	}
	return l->lane_of != NULL;
}

/* The list that an activity belongs to; SIZE_MAX for none. */
static size_t list_of(const struct listing *l, uint32_t activity)
{
	uint32_t process = wl_graph_process(l->g, activity);
	const struct wl_listed_steps *p = &l->process[process];
	uint32_t step = step_of(l, p, process, activity);

	return step == WL_NONE ? SIZE_MAX
			       : p->lists + step * p->n_lanes + l->lane_of[lane_at(l->g, activity)];
}

/* A counting sort; activities of a process come by start. */
static bool deal(struct listing *l, struct wl_step_lists *ret)
{
	const struct wl_graph *g = l->g;
	uint32_t *activity = WL_NEW(l->arena, uint32_t, g->n_order);
	size_t n = 0, at;

	for (size_t i = 0; i < g->trace->n_processes; i++) {
		l->process[i].lists = n;
		n += l->process[i].n * l->process[i].n_lanes;
	}
	l->first = WL_NEW(l->arena, size_t, n + 2);
	if (!activity || !l->first)
		return false;
	for (size_t i = 0; i < g->n_order; i++) {
		if (wl_arena_ends_at(l->scratch, i))
			return false;
		at = list_of(l, g->order[i]);
		if (at != SIZE_MAX)
			l->first[at + 2]++;
	}
	for (size_t i = 0; i < n; i++)
		l->first[i + 2] += l->first[i + 1];
	for (size_t i = 0; i < g->n_order; i++) {
		if (wl_arena_ends_at(l->scratch, i))
			return false;
		at = list_of(l, g->order[i]);
		if (at != SIZE_MAX)
			activity[l->first[at + 1]++] = g->order[i];
	}
	*ret = (struct wl_step_lists){ g, l->process, l->first, activity };
	return true;
}

bool wl_step_bounds_find(const struct wl_derived *given, struct wl_arena *arena,
			 struct wl_step_bounds *ret)
{
	struct wl_arena scratch;
	struct listing l = { .given = given,
			     .g = given->graph,
			     .arena = arena,
			     .scratch = &scratch,
			     .process = WL_NEW(arena, struct wl_listed_steps,
					       given->trace->n_processes) };
	bool ok;

	wl_arena_init_child(&scratch, arena);
	ok = l.process && find_begins(&l);
	ret->process = l.process;
	wl_arena_release(&scratch);
	return ok;
}

uint32_t wl_step_of(const struct wl_derived *given, const struct wl_step_bounds *bounds,
		    uint32_t activity)
{
	const struct listing l = { .given = given, .g = given->graph };
	uint32_t process = wl_graph_process(given->graph, activity);

	return step_of(&l, &bounds->process[process], process, activity);
}

bool wl_step_lists_find(const struct wl_derived *given, struct wl_arena *arena,
			struct wl_step_lists *ret)
{
	struct wl_arena scratch;
	struct listing l = { .given = given,
			     .g = given->graph,
			     .arena = arena,
			     .scratch = &scratch,
			     .process = WL_NEW(arena, struct wl_listed_steps,
					       given->trace->n_processes) };
	bool ok;

	wl_arena_init_child(&scratch, arena);
	ok = l.process && find_begins(&l) && find_most_lanes(&l) && number_lanes(&l) &&
	     deal(&l, ret);
	wl_arena_release(&scratch);
	return ok;
}

uint32_t wl_activity_name(const struct wl_graph *g, uint32_t activity)
{
	enum { COPY = 1 << 30, SET = 1 << 29, GRAPH = 1 << 28 };
	const struct wl_trace *t = g->trace;
	const uint32_t *name[WL_N_CALL_FAMILIES] = {
		wl_api_name(t), wl_mpi_colls_name(t),
		wl_mpi_others_name(t), [WL_RANGE_CALLS] = wl_nvtx_name(t)
	};
	enum wl_op_kind kind;
	unsigned family = 0;
	uint32_t row;

	if (activity >= g->n_ops) {
		row = activity - g->n_ops;
		while (family + 1 < WL_N_CALL_FAMILIES && row >= g->first_call[family + 1])
			family++;
		return name[family] ? name[family][row - g->first_call[family]] : 0;
	}
	kind = wl_graph_kind(g, activity);
	row = activity - g->first[kind];
	if (kind == WL_OP_KERNEL)
		return wl_kernels_name(t)[row];
	if (kind == WL_OP_MEMCPY)
		return COPY + (wl_memcpys_kind(t) ? wl_memcpys_kind(t)[row] : 0U);
	return kind == WL_OP_MEMSET ? SET : GRAPH;
}

struct naming {
	const struct wl_graph *g;
	const uint32_t *activity;
};

static bool name_less(const void *ctx, uint32_t a, uint32_t b)
{
	const struct naming *n = ctx;

	return wl_activity_name(n->g, n->activity[a]) < wl_activity_name(n->g, n->activity[b]);
}

/* The places of a list, sorted by name. */
static void sort_names(const struct naming *n, struct wl_slice list, uint32_t *order)
{
	for (size_t i = list.lo; i < list.hi; i++)
		order[i - list.lo] = (uint32_t)i;
	wl_sort_index(order, list.hi - list.lo, order + (list.hi - list.lo), name_less, n);
}

/* Most steps repeat the same names in the same order; each activity then has its counterpart at the
 * same place. */
static bool align_equal(const struct naming *n, const struct wl_slice list[2], uint32_t *ret)
{
	size_t n_own = list[0].hi - list[0].lo;

	if (list[1].hi - list[1].lo != n_own)
		return false;
	for (size_t i = 0; i < n_own; i++) {
		uint32_t with = n->activity[list[1].lo + i];

		if (wl_activity_name(n->g, n->activity[list[0].lo + i]) !=
		    wl_activity_name(n->g, with))
			return false;
		ret[i] = with;
	}
	return true;
}

/* Align two lists by name. The room holds twice the length of the one list, then twice that of the
 * other. */
static void align(const struct naming *n, const struct wl_slice list[2], uint32_t *room,
		  uint32_t *ret)
{
	size_t n_own = list[0].hi - list[0].lo, n_other = list[1].hi - list[1].lo, k = 0;
	uint32_t *own = room, *other = room + 2 * n_own;

	sort_names(n, list[0], own);
	sort_names(n, list[1], other);
	for (size_t i = 0; i < n_own; i++) {
		uint32_t name = wl_activity_name(n->g, n->activity[own[i]]);
		uint32_t *to = &ret[own[i] - list[0].lo];

		while (k < n_other && wl_activity_name(n->g, n->activity[other[k]]) < name)
			k++;
		*to = WL_NONE;
		if (k < n_other && wl_activity_name(n->g, n->activity[other[k]]) == name)
			*to = n->activity[other[k++]];
	}
}

bool wl_step_align(const struct wl_step_lists *lists, size_t process, const size_t steps[2],
		   struct wl_arena *arena, uint32_t *ret)
{
	const struct naming n = { lists->graph, lists->activity };
	struct wl_slice all[2] = { wl_step_all(lists, process, steps[0]),
				   wl_step_all(lists, process, steps[1]) };
	struct wl_arena scratch;
	uint32_t *room;

	wl_arena_init_child(&scratch, arena);
	room = WL_NEW(&scratch, uint32_t, 2 * (all[0].hi - all[0].lo + all[1].hi - all[1].lo));
	for (size_t i = 0; room && i < lists->process[process].n_lanes; i++) {
		const struct wl_slice list[2] = { wl_step_list(lists, process, steps[0], i),
						  wl_step_list(lists, process, steps[1], i) };

		if (!align_equal(&n, list, ret + (list[0].lo - all[0].lo)))
			align(&n, list, room, ret + (list[0].lo - all[0].lo));
	}
	wl_arena_release(&scratch);
	return room != NULL;
}
