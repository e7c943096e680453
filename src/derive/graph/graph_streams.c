/* SPDX-License-Identifier: MIT */
/* graph_streams.c - operations by start: stream order, latencies and inferred candidates. */
#include "base/sort.h"
#include "derive/graph/graph_parts.h"
#include "derive/rows/ops.h"
#include "derive/rows/scope.h"

struct streams {
	struct wl_graph_making *m;
	struct wl_graph *g;
	uint32_t *previous;
	uint32_t *last;          /* by lane: the operation with the latest end so far */
	struct wl_vec latencies; /* int64_t: process above LATENCY_BITS */
	struct wl_vec inferred;  /* struct wl_graph_edge */
	uint32_t *n_inferred;    /* by process: those that nothing else explains */
};

/* Latencies of all processes are sorted as one list of numbers. */
enum { LATENCY_BITS = 36 };

/* The latency of an operation whose stream was idle when the launch call began. */
static void note_latency(struct streams *s, uint32_t op, wl_ns idle_from)
{
	const struct wl_trace *t = s->m->trace;
	uint32_t row = wl_graph_launch(s->g, op);
	wl_ns launched = row == WL_NONE ? 0 : wl_api_start(t)[row], latency;
	int64_t process = (int64_t)t->places[wl_graph_place(s->g, op)].process;
	const int64_t most = ((int64_t)1 << LATENCY_BITS) - 1;

	if (row == WL_NONE)
		return;
	latency = wl_graph_start(s->g, op) - launched;
	s->g->counts.negative += latency < 0;
	if (latency < 0 || idle_from > launched)
		return;
	latency = (process << LATENCY_BITS) + (latency < most ? latency : most);
	wl_vec_push(&s->latencies, &latency);
}

static uint32_t number_of(const struct streams *s, const struct wl_op *op)
{
	return s->g->first[op->kind] + (uint32_t)op->row;
}

/* List the operations of a device by start, each after the one with the latest end of its lane. */
static size_t order_device(struct streams *s, uint32_t device, uint32_t *list)
{
	struct wl_op_cursor cursor;
	struct wl_op op;
	size_t n = 0;

	wl_ops_begin(s->m->trace, device, &cursor);
	while (wl_ops_next(&cursor, &op)) {
		uint32_t number = number_of(s, &op), *last = &s->last[s->g->lane[op.place]];
		wl_ns until = *last == WL_NONE ? INT64_MIN : wl_graph_end(s->g, *last);

		list[n++] = number;
		s->previous[number] = *last;
		note_latency(s, number, until);
		if (op.end >= until)
			*last = number;
	}
	return n;
}

static bool ends_before(const struct wl_graph *g, uint32_t a, uint32_t b)
{
	wl_ns ea = wl_graph_end(g, a), eb = wl_graph_end(g, b);
	wl_ns sa = wl_graph_start(g, a), sb = wl_graph_start(g, b);

	if (ea != eb)
		return ea < eb;
	return sa != sb ? sa < sb : a < b;
}

static bool end_less(const void *ctx, uint32_t a, uint32_t b)
{
	return ends_before(ctx, a, b);
}

/* The two latest ends so far, of different streams of a process. */
struct latest {
	uint32_t op, other;
};

static void note_end(const struct streams *s, struct latest *l, uint32_t op)
{
	const uint32_t *lane = s->g->lane;

	if (l->op != WL_NONE && lane[wl_graph_place(s->g, l->op)] != lane[wl_graph_place(s->g, op)])
		l->other = l->op;
	l->op = op;
}

/* When an operation could have started by its stream and its launch alone. */
static wl_ns explained(const struct streams *s, uint32_t op)
{
	const struct wl_trace *t = s->m->trace;
	uint32_t before = s->previous[op], row = wl_graph_launch(s->g, op);
	wl_ns start = wl_graph_start(s->g, op), at = INT64_MIN, launched;

	if (before != WL_NONE) {
		at = wl_graph_end(s->g, before);
		at = at > start ? wl_graph_start(s->g, before) : at;
	}
	if (row == WL_NONE)
		return at;
	launched =
		wl_api_start(t)[row] + s->g->latency[t->places[wl_graph_place(s->g, op)].process];
	launched = launched < start ? launched : start;
	return launched > at ? launched : at;
}

static void infer(struct streams *s, const struct latest *l, uint32_t op, uint32_t process)
{
	const uint32_t *lane = s->g->lane;
	uint32_t from = l->op != WL_NONE && lane[wl_graph_place(s->g, l->op)] ==
						    lane[wl_graph_place(s->g, op)]
				? l->other
				: l->op;

	if (from == WL_NONE || s->m->has_event[op] ||
	    wl_graph_start(s->g, op) - wl_graph_end(s->g, from) > WL_INFER_NS ||
	    !ends_before(s->g, from, op))
		return;
	s->n_inferred[process] += wl_graph_end(s->g, from) > explained(s, op);
	wl_vec_push(&s->inferred, &(struct wl_graph_edge){ op, from, WL_EDGE_INFERRED });
}

/*
 * A capture with events has all of them, so that inference would add contention only. Some tools
 * write few: inference is left out where it explains at most four times as many starts.
 */
enum { FEW_EVENTS = 4 };

static bool put_inferred(struct streams *s)
{
	const struct wl_graph_edge *edge = s->inferred.data;

	for (size_t i = 0; i < s->inferred.n; i++) {
		uint32_t process = s->m->trace->places[wl_graph_place(s->g, edge[i].op)].process;

		if (s->n_inferred[process] > FEW_EVENTS * s->m->n_events[process])
			wl_graph_put_edge(s->m, edge[i].op, edge[i].from, WL_EDGE_INFERRED);
	}
	return !s->inferred.failed;
}

static uint32_t process_of(const struct streams *s, uint32_t op)
{
	return s->m->trace->places[wl_graph_place(s->g, op)].process;
}

/* The n operations of a device are in list by start. */
static bool infer_device(struct streams *s, const uint32_t *list, size_t n, struct latest *latest)
{
	struct wl_arena scratch;
	uint32_t *by_end;
	size_t ended = 0;

	wl_arena_init_child(&scratch, s->m->scratch);
	by_end = WL_NEW(&scratch, uint32_t, 2 * n);
	n = by_end ? n : 0;
	for (size_t i = 0; i < s->m->trace->n_processes; i++)
		latest[i] = (struct latest){ WL_NONE, WL_NONE };
	for (size_t i = 0; i < n; i++)
		by_end[i] = list[i];
	if (by_end)
		wl_sort_index(by_end, n, by_end + n, end_less, s->g);
	for (size_t i = 0; i < n; i++) {
		uint32_t process = process_of(s, list[i]);

		for (; ended < n &&
		       wl_graph_end(s->g, by_end[ended]) <= wl_graph_start(s->g, list[i]);
		     ended++)
			note_end(s, &latest[process_of(s, by_end[ended])], by_end[ended]);
		infer(s, &latest[process], list[i], process);
	}
	wl_arena_release(&scratch);
	return by_end != NULL;
}

/* By process the second percentile; the default where there are too few. */
static bool find_least(struct streams *s)
{
	size_t n_processes = s->m->trace->n_processes, n = s->latencies.n;
	wl_ns *least = WL_NEW(s->m->arena, wl_ns, n_processes);
	int64_t *at = s->latencies.data;

	if (!least || s->latencies.failed)
		return false;
	wl_sort_i64(at, n);
	for (size_t i = 0; i < n_processes; i++)
		least[i] = WL_LATENCY_NS;
	for (size_t lo = 0, hi; lo < n; lo = hi) {
		for (hi = lo + 1; hi < n && at[hi] >> LATENCY_BITS == at[lo] >> LATENCY_BITS;)
			hi++;
		if (hi - lo >= WL_FEW_LATENCIES)
			least[at[lo] >> LATENCY_BITS] =
				at[lo + wl_rank(hi - lo, 2)] & (((int64_t)1 << LATENCY_BITS) - 1);
	}
	s->g->latency = least;
	return true;
}

static size_t count_ops(const struct streams *s, uint32_t device)
{
	size_t n = 0;

	for (unsigned kind = 0; kind < WL_N_OP_FAMILIES; kind++) {
		size_t lo, hi;

		wl_ops_on_device(s->m->trace, &s->g->ops[kind], device, &lo, &hi);
		n += hi - lo;
	}
	return n;
}

/* Latencies must be known before anything is inferred. */
static bool sweep_devices(struct streams *s)
{
	struct latest *latest = WL_NEW(s->m->scratch, struct latest, s->m->trace->n_processes);
	uint32_t *list = WL_NEW(s->m->scratch, uint32_t, s->g->n_ops);
	size_t at = 0;
	bool ok = latest && list;

	for (uint32_t d = 0; ok && d < s->m->trace->n_devices; d++)
		at += order_device(s, d, list + at);
	ok = ok && find_least(s);
	at = 0;
	for (uint32_t d = 0; ok && d < s->m->trace->n_devices; d++) {
		size_t n = count_ops(s, d);

		ok = infer_device(s, list + at, n, latest);
		at += n;
	}
	return ok && put_inferred(s);
}

bool wl_graph_streams(struct wl_graph_making *m)
{
	struct streams s = { .m = m,
			     .g = m->to,
			     .previous = WL_NEW(m->arena, uint32_t, m->to->n_ops),
			     .last = WL_NEW(m->scratch, uint32_t, m->to->n_lanes),
			     .n_inferred = WL_NEW(m->scratch, uint32_t, m->trace->n_processes) };
	bool ok = s.previous && s.last && s.n_inferred;

	wl_vec_init(&s.latencies, sizeof(int64_t), wl_arena_budget(m->arena));
	wl_vec_init(&s.inferred, sizeof(struct wl_graph_edge), wl_arena_budget(m->arena));
	for (size_t i = 0; ok && i < m->to->n_lanes; i++)
		s.last[i] = WL_NONE;
	m->to->previous = s.previous;
	ok = ok && sweep_devices(&s);
	wl_vec_release(&s.inferred);
	wl_vec_release(&s.latencies);
	return ok;
}
