/* SPDX-License-Identifier: MIT */
#include "derive/graph/build/graph.h"

#include "base/memory/sort.h"
#include "derive/calls/blocking.h"
#include "derive/derived.h"
#include "derive/graph/build/graph_parts.h"

static bool op_less(const void *ctx, uint32_t a, uint32_t b)
{
	wl_ns sa = wl_graph_start(ctx, a), sb = wl_graph_start(ctx, b);

	return sa != sb ? sa < sb : a < b;
}

/* Which device each process uses, and whether it uses several; the same for devices. */
struct sharing {
	uint32_t *device; /* WL_NONE if it has none */
	bool *is_spread;
	bool is_apart; /* every process has its own device */
};

static bool find_sharing(const struct wl_graph_making *m, struct sharing *ret)
{
	const struct wl_trace *t = m->trace;
	uint32_t *process = WL_NEW(m->scratch, uint32_t, t->n_devices);

	ret->device = WL_NEW(m->scratch, uint32_t, t->n_processes);
	ret->is_spread = WL_NEW(m->scratch, bool, t->n_processes);
	if (!process || !ret->device || !ret->is_spread)
		return false;
	for (size_t i = 0; i < t->n_processes; i++)
		ret->device[i] = WL_NONE;
	for (size_t i = 0; i < t->n_devices; i++)
		process[i] = WL_NONE;
	ret->is_apart = true;
	for (size_t i = 0; i < t->n_places; i++) {
		const struct wl_place *p = &t->places[i];
		uint32_t *device = &ret->device[p->process];

		if (p->device == WL_NONE)
			continue;
		ret->is_spread[p->process] |= *device != WL_NONE && *device != p->device;
		ret->is_apart &=
			(*device == WL_NONE || *device == p->device) &&
			(process[p->device] == WL_NONE || process[p->device] == p->process);
		*device = p->device;
		process[p->device] = p->process;
	}
	return true;
}

/* Operations or calls of a process, by start. */
struct list {
	const uint32_t *at, *end;
};

/* Sort operations by process, then start; those of one device are already in order. */
static bool sort_ops(struct wl_graph_making *m, const bool *is_spread, struct list *ret)
{
	const struct wl_graph *g = m->to;
	size_t n_processes = g->trace->n_processes;
	size_t *first = WL_NEW(m->scratch, size_t, n_processes + 2);
	uint32_t *op = WL_NEW(m->scratch, uint32_t, g->n_ops);
	uint32_t *tmp = WL_NEW(m->scratch, uint32_t, g->n_ops);

	if (!first || !op || !tmp)
		return false;
	for (size_t i = 0; i < g->n_ops; i++)
		first[wl_graph_process(g, m->op[i]) + 2]++;
	for (size_t i = 0; i < n_processes; i++)
		first[i + 2] += first[i + 1];
	for (size_t i = 0; i < g->n_ops; i++)
		op[first[wl_graph_process(g, m->op[i]) + 1]++] = m->op[i];
	for (size_t i = 0; i < n_processes; i++) {
		if (is_spread[i])
			wl_sort_index(op + first[i], first[i + 1] - first[i], tmp, op_less, g);
		ret[i] = (struct list){ op + first[i], op + first[i + 1] };
	}
	return true;
}

/* List operations by process. Most processes have their own device, whose operations are in
 * order. */
static struct list *list_ops(struct wl_graph_making *m)
{
	size_t n_processes = m->trace->n_processes;
	struct list *ret = WL_NEW(m->scratch, struct list, n_processes);
	struct sharing sharing;

	if (!ret || !find_sharing(m, &sharing))
		return NULL;
	if (!sharing.is_apart)
		return sort_ops(m, sharing.is_spread, ret) ? ret : NULL;
	for (size_t i = 0; i < n_processes; i++) {
		uint32_t device = sharing.device[i];

		if (device != WL_NONE)
			ret[i] = (struct list){ m->op + m->op_first[device],
						m->op + m->op_first[device + 1] };
	}
	return ret;
}

static wl_ns start_of(const struct wl_graph *g, const struct list *op)
{
	return op->at < op->end ? wl_graph_start(g, *op->at) : INT64_MAX;
}

/* Merge operations and the outermost calls. At equal times, operations come first. */
static size_t merge(const struct wl_graph *g, struct list op, struct list call, uint32_t *to)
{
	wl_ns next = start_of(g, &op);
	size_t n = 0;

	for (; call.at < call.end; call.at++) {
		wl_ns start;

		if (g->outer[*call.at] != *call.at)
			continue;
		start = wl_graph_call_start(g, *call.at);
		while (op.at < op.end && next <= start) {
			to[n++] = *op.at++;
			next = start_of(g, &op);
		}
		to[n++] = wl_graph_call(g, *call.at);
	}
	while (op.at < op.end)
		to[n++] = *op.at++;
	return n;
}

static bool order_activities(struct wl_graph_making *m)
{
	struct wl_graph *g = m->to;
	size_t n_processes = g->trace->n_processes, n = 0;
	uint32_t *order = WL_NEW(m->arena, uint32_t, (size_t)g->n_ops + g->n_calls);
	size_t *first = WL_NEW(m->arena, size_t, n_processes + 1);
	const struct list *ops = list_ops(m);

	if (!order || !first || !ops)
		return false;
	for (size_t i = 0; i < n_processes; i++) {
		const struct list calls = { m->call + m->call_first[i],
					    m->call + m->call_first[i + 1] };

		first[i] = n;
		n += merge(g, ops[i], calls, order + n);
	}
	first[n_processes] = n;
	g->order = order;
	g->order_first = first;
	g->n_order = n;
	return true;
}

/* Counting sort of the candidates by operation; the inferred one was added last. */
static bool deal_edges(struct wl_graph_making *m)
{
	struct wl_graph *g = m->to;
	const struct wl_graph_edge *edge = m->edges.data;
	/* One extra element, so that counting leaves room for the start of each list. */
	uint32_t *first = WL_NEW(m->arena, uint32_t, (size_t)g->n_ops + 2);
	uint32_t *from = WL_NEW(m->arena, uint32_t, m->edges.n);
	uint8_t *kind = WL_NEW(m->arena, uint8_t, m->edges.n);

	if (!first || !from || !kind || m->edges.failed)
		return false;
	for (size_t i = 0; i < m->edges.n; i++)
		first[edge[i].op + 2]++;
	for (size_t i = 0; i < g->n_ops; i++)
		first[i + 2] += first[i + 1];
	for (size_t i = 0; i < m->edges.n; i++) {
		uint32_t at = first[edge[i].op + 1]++;

		from[at] = edge[i].from;
		kind[at] = (uint8_t)edge[i].kind;
	}
	g->edge_first = first;
	g->edge_from = from;
	g->edge_kind = kind;
	return true;
}

static void number_calls(struct wl_graph *g, const struct wl_outer_lists *ranges)
{
	const size_t n_threads = g->trace->n_threads;

	for (unsigned i = 0; i < WL_N_CALL_FAMILIES; i++) {
		struct wl_thread_rows *rows = &g->calls[i];

		*rows = wl_trace_thread_rows(g->trace, wl_call_families[i]);
		if (!rows->thread || !rows->start || !rows->dur ||
		    (i == WL_RANGE_CALLS && (!n_threads || !ranges->list[n_threads - 1].hi)))
			rows->n = 0;
		g->first_call[i + 1] = g->first_call[i] + (uint32_t)rows->n;
	}
	g->n_calls = g->first_call[WL_N_CALL_FAMILIES];
}

static void begin(struct wl_graph *g, const struct wl_derived *given,
		  const struct wl_outer_lists *ranges)
{
	const struct wl_trace *t = given->trace;

	*g = (struct wl_graph){ .trace = t, .links = given->links };
	for (unsigned kind = 0; kind < WL_N_OP_FAMILIES; kind++) {
		g->ops[kind] = wl_trace_ops(t, wl_op_families[kind]);
		g->first[kind + 1] = g->first[kind] + (uint32_t)g->ops[kind].n;
	}
	g->n_ops = g->first[WL_N_OP_FAMILIES];
	number_calls(g, ranges);
	for (size_t i = 0; i < g->first_call[1]; i++)
		g->counts.blocking += given->blocking->call[i] != WL_BLOCKS_NOT;
}

static struct wl_graph_making make(const struct wl_derived *given, struct wl_graph *to,
				   struct wl_arena *arena, struct wl_arena *scratch)
{
	return (struct wl_graph_making){
		.given = given,
		.trace = given->trace,
		.to = to,
		.ranges = &given->mpi_calls->of[WL_N_MPI_SOURCES - 1].by_thread,
		.arena = arena,
		.scratch = scratch,
	};
}

bool wl_graph_find_outer(const struct wl_derived *given, struct wl_arena *arena,
			 struct wl_graph *ret)
{
	struct wl_arena scratch;
	struct wl_graph_calling calling;
	struct wl_graph_making m = make(given, ret, arena, &scratch);
	bool ok;

	begin(ret, given, m.ranges);
	wl_arena_init_child(&scratch, arena);
	ok = wl_graph_outer_calls(&m, &calling);
	wl_arena_release(&scratch);
	return ok;
}

bool wl_graph_find(const struct wl_derived *given, struct wl_arena *arena, struct wl_graph *ret)
{
	struct wl_arena scratch;
	struct wl_graph_making m = make(given, ret, arena, &scratch);
	bool ok;

	begin(ret, given, m.ranges);
	wl_arena_init_child(&scratch, arena);
	wl_vec_init(&m.edges, sizeof(struct wl_graph_edge), wl_arena_budget(arena));
	wl_vec_init(&m.late, sizeof(struct wl_graph_late), wl_arena_budget(arena));
	m.has_event = WL_NEW(&scratch, bool, ret->n_ops);
	m.n_events = WL_NEW(&scratch, uint32_t, given->trace->n_processes);
	m.has_resolved = WL_NEW(&scratch, bool, given->trace->n_processes);
	ok = m.has_event && m.n_events && m.has_resolved && wl_graph_lanes(&m) &&
	     wl_graph_calls(&m) && wl_graph_launches(&m) && wl_graph_streams(&m) &&
	     wl_graph_queues(&m) && wl_graph_infer(&m) && wl_graph_meetings(&m) && deal_edges(&m) &&
	     wl_graph_unexplained(&m) && order_activities(&m);
	wl_vec_release(&m.late);
	wl_vec_release(&m.edges);
	wl_arena_release(&scratch);
	return ok;
}
