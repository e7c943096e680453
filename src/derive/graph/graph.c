/* SPDX-License-Identifier: MIT */
#include "derive/graph/graph.h"

#include "base/sort.h"
#include "derive/calls/blocking.h"
#include "derive/derived.h"
#include "derive/graph/graph_parts.h"

static bool activity_less(const void *ctx, uint32_t a, uint32_t b)
{
	wl_ns sa = wl_graph_start(ctx, a), sb = wl_graph_start(ctx, b);

	return sa != sb ? sa < sb : a < b;
}

/* The activities that have times: operations, then outermost calls. */
static size_t list_activities(const struct wl_graph *g, uint32_t *list)
{
	size_t n = 0;

	for (uint32_t i = 0; i < g->n_ops; i++)
		list[n++] = i;
	for (uint32_t i = 0; i < g->n_calls; i++) {
		if (g->outer[i] == i)
			list[n++] = wl_graph_call(g, i);
	}
	return n;
}

/*
 * A counting sort by process. Then operations are in order by device and calls by thread: the sort
 * of each process merges these few runs.
 */
static bool order_activities(struct wl_graph_making *m)
{
	struct wl_graph *g = m->to;
	size_t n_processes = g->trace->n_processes, cap = (size_t)g->n_ops + g->n_calls;
	uint32_t *order = WL_NEW(m->arena, uint32_t, cap),
		 *list = WL_NEW(m->scratch, uint32_t, cap);
	size_t *first = WL_NEW(m->arena, size_t, n_processes + 2);

	if (!order || !list || !first)
		return false;
	g->n_order = list_activities(g, list);
	for (size_t i = 0; i < g->n_order; i++)
		first[wl_graph_process(g, list[i]) + 2]++;
	for (size_t i = 0; i < n_processes; i++)
		first[i + 2] += first[i + 1];
	for (size_t i = 0; i < g->n_order; i++)
		order[first[wl_graph_process(g, list[i]) + 1]++] = list[i];
	for (size_t i = 0; i < n_processes; i++)
		wl_sort_index(order + first[i], first[i + 1] - first[i], list, activity_less, g);
	g->order = order;
	g->order_first = first;
	return true;
}

/* A counting sort of the candidates by operation. */
static bool deal_edges(struct wl_graph_making *m)
{
	struct wl_graph *g = m->to;
	const struct wl_graph_edge *edge = m->edges.data;
	/* One further, so that counting makes room for the begin of each list. */
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

static void number_calls(struct wl_graph *g)
{
	for (unsigned i = 0; i < WL_N_CALL_FAMILIES; i++) {
		struct wl_thread_rows *rows = &g->calls[i];

		*rows = wl_trace_thread_rows(g->trace, wl_call_families[i]);
		if (!rows->thread || !rows->start)
			rows->n = 0;
		g->first_call[i + 1] = g->first_call[i] + (uint32_t)rows->n;
	}
	g->n_calls = g->first_call[WL_N_CALL_FAMILIES];
}

static void begin(struct wl_graph *g, const struct wl_derived *given)
{
	const struct wl_trace *t = given->trace;

	*g = (struct wl_graph){ .trace = t, .links = given->links };
	for (unsigned kind = 0; kind < WL_N_OP_FAMILIES; kind++) {
		g->ops[kind] = wl_trace_ops(t, wl_op_families[kind]);
		g->first[kind + 1] = g->first[kind] + (uint32_t)g->ops[kind].n;
	}
	g->n_ops = g->first[WL_N_OP_FAMILIES];
	number_calls(g);
	for (size_t i = 0; i < g->first_call[1]; i++)
		g->counts.blocking += given->blocking->call[i] != WL_BLOCKS_NOT;
}

bool wl_graph_find(const struct wl_derived *given, struct wl_arena *arena, struct wl_graph *ret)
{
	struct wl_arena scratch;
	struct wl_graph_making m = { .given = given,
				     .trace = given->trace,
				     .to = ret,
				     .arena = arena,
				     .scratch = &scratch };
	bool ok;

	begin(ret, given);
	wl_arena_init_child(&scratch, arena);
	wl_vec_init(&m.edges, sizeof(struct wl_graph_edge), wl_arena_budget(arena));
	m.has_event = WL_NEW(&scratch, bool, ret->n_ops);
	m.n_events = WL_NEW(&scratch, uint32_t, given->trace->n_processes);
	ok = m.has_event && m.n_events && wl_graph_lanes(&m) && wl_graph_calls(&m) &&
	     wl_graph_launches(&m) && wl_graph_streams(&m) && wl_graph_meetings(&m) &&
	     deal_edges(&m) && order_activities(&m);
	wl_vec_release(&m.edges);
	wl_arena_release(&scratch);
	return ok;
}
