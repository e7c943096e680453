/* SPDX-License-Identifier: MIT */
/* graph_streams.c - operations by start: stream order, latencies and inferred candidates. */
#include "base/sort.h"
#include "derive/graph/endings.h"
#include "derive/graph/graph_parts.h"
#include "derive/rows/ops.h"
#include "derive/rows/scope.h"

struct streams {
	struct wl_graph_making *m;
	struct wl_graph *g;
	uint32_t *previous;
	uint32_t *last;          /* by lane: the operation with the latest end so far */
	struct wl_vec latencies; /* int64_t: process above LATENCY_BITS */
	struct wl_vec running;   /* struct wl_ending of the device that is swept */
	struct latest *latest;   /* by process */
	uint32_t *n_inferred;    /* by process: those that nothing else explains */
};

/* The two latest ends so far, of different streams of a process. */
struct latest {
	uint32_t op, other;
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

static uint32_t lane_of(const struct streams *s, uint32_t op)
{
	return s->g->lane[wl_graph_place(s->g, op)];
}

static uint32_t process_of(const struct streams *s, uint32_t op)
{
	return s->m->trace->places[wl_graph_place(s->g, op)].process;
}

static void note_end(const struct streams *s, uint32_t op)
{
	struct latest *l = &s->latest[process_of(s, op)];

	if (l->op != WL_NONE && lane_of(s, l->op) != lane_of(s, op))
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

static struct wl_ending ending_of(const struct streams *s, uint32_t op)
{
	return (struct wl_ending){ wl_graph_end(s->g, op), wl_graph_start(s->g, op), op };
}

static void infer(struct streams *s, uint32_t op)
{
	uint32_t process = process_of(s, op);
	const struct latest *l = &s->latest[process];
	bool is_own = l->op != WL_NONE && lane_of(s, l->op) == lane_of(s, op);
	uint32_t from = is_own ? l->other : l->op;
	struct wl_ending own, others;

	s->m->inferred[op] = WL_NONE;
	if (from == WL_NONE || s->m->has_event[op])
		return;
	own = ending_of(s, op);
	others = ending_of(s, from);
	if (own.start - others.end > WL_INFER_NS || !wl_ends_before(&others, &own))
		return;
	s->n_inferred[process] += others.end > explained(s, op);
	s->m->inferred[op] = from;
}

/*
 * A capture with events has all of them, so that inference would add contention only. Some tools
 * write few: inference is left out where it explains at most four times as many starts.
 */
enum { FEW_EVENTS = 4 };

static void choose_inferred(struct streams *s)
{
	for (uint32_t op = 0; op < s->g->n_ops; op++) {
		uint32_t process;

		if (s->m->inferred[op] == WL_NONE)
			continue;
		process = process_of(s, op);
		if (s->n_inferred[process] > FEW_EVENTS * s->m->n_events[process])
			s->g->counts.edges[WL_EDGE_INFERRED]++;
		else
			s->m->inferred[op] = WL_NONE;
	}
}

/* The n operations of a device are in list by start; what has ended by then is taken first. */
static void infer_device(struct streams *s, const uint32_t *list, size_t n)
{
	size_t n_put = 0;

	for (size_t i = 0; i < s->m->trace->n_processes; i++)
		s->latest[i] = (struct latest){ WL_NONE, WL_NONE };
	s->running.n = 0;
	for (size_t i = 0; i < n; i++) {
		wl_ns start = wl_graph_start(s->g, list[i]);

		for (; n_put < n && wl_graph_start(s->g, list[n_put]) <= start; n_put++) {
			struct wl_ending ending = ending_of(s, list[n_put]);

			wl_endings_put(&s->running, &ending);
		}
		while (wl_endings_any(&s->running, start))
			note_end(s, wl_endings_take(&s->running).number);
		infer(s, list[i]);
	}
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
	uint32_t *list = WL_NEW(s->m->scratch, uint32_t, s->g->n_ops);
	size_t at = 0;

	if (!list)
		return false;
	for (uint32_t d = 0; d < s->m->trace->n_devices; d++)
		at += order_device(s, d, list + at);
	s->m->op = list;
	if (!find_least(s))
		return false;
	at = 0;
	for (uint32_t d = 0; d < s->m->trace->n_devices; d++) {
		size_t n = count_ops(s, d);

		infer_device(s, list + at, n);
		at += n;
	}
	choose_inferred(s);
	return !s->running.failed;
}

bool wl_graph_streams(struct wl_graph_making *m)
{
	struct streams s = { .m = m,
			     .g = m->to,
			     .previous = WL_NEW(m->arena, uint32_t, m->to->n_ops),
			     .last = WL_NEW(m->scratch, uint32_t, m->to->n_lanes),
			     .latest = WL_NEW(m->scratch, struct latest, m->trace->n_processes),
			     .n_inferred = WL_NEW(m->scratch, uint32_t, m->trace->n_processes) };
	bool ok;

	m->inferred = WL_NEW(m->scratch, uint32_t, m->to->n_ops);
	ok = s.previous && s.last && s.latest && s.n_inferred && m->inferred;
	wl_vec_init(&s.latencies, sizeof(int64_t), wl_arena_budget(m->arena));
	wl_vec_init(&s.running, sizeof(struct wl_ending), wl_arena_budget(m->arena));
	for (size_t i = 0; ok && i < m->to->n_lanes; i++)
		s.last[i] = WL_NONE;
	m->to->previous = s.previous;
	ok = ok && sweep_devices(&s);
	wl_vec_release(&s.running);
	wl_vec_release(&s.latencies);
	return ok;
}
