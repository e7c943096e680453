/* SPDX-License-Identifier: MIT */
/* graph_streams.c - operations by start: stream order, latencies and inferred candidates. */
#include "base/sort.h"
#include "derive/graph/endings.h"
#include "derive/graph/graph_parts.h"
#include "derive/rows/ops.h"
#include "derive/rows/scope.h"

enum { FEW_LANES = 8 };

struct streams {
	struct wl_graph_making *m;
	struct wl_graph *g;
	uint32_t *previous;
	struct last *last;        /* by lane */
	struct wl_vec latencies;  /* int64_t: process above LATENCY_BITS */
	struct wl_vec running;    /* struct wl_ending of the device that is swept, of its place */
	struct latest *latest;    /* by process */
	uint32_t *n_inferred;     /* by process: those that nothing else explains */
	wl_ns *default_end;       /* by operation: of what it waits for by the default stream's
				     rule; NULL where none does */
	uint32_t lane[FEW_LANES]; /* of the device that is swept, in the order of their first
				     operations */
	size_t n_lanes;           /* all of them */
};

/* The operation of a lane with the latest end so far, and the one that was it before. */
struct last {
	struct wl_ending at, before; /* number WL_NONE: none yet */
};

/* The two latest ends so far, of different streams of a process; number WL_NONE: none yet. */
struct latest {
	struct wl_ending op, other;
};

/* Latencies of all processes are sorted as one list of numbers. */
enum { LATENCY_BITS = 36 };

/* The latency of an operation whose stream was idle when the launch call began. */
static void note_latency(struct streams *s, const struct wl_op *op, wl_ns idle_from)
{
	const struct wl_trace *t = s->m->trace;
	uint32_t row = wl_link_of(s->g->links, op->kind, op->row);
	const int64_t most = ((int64_t)1 << LATENCY_BITS) - 1;
	wl_ns launched, latency;

	if (row == WL_NONE)
		return;
	launched = wl_api_start(t)[row];
	latency = op->start - launched;
	s->g->counts.negative += latency < 0;
	if (latency < 0 || idle_from > launched)
		return;
	latency = ((int64_t)t->places[op->place].process << LATENCY_BITS) +
		  (latency < most ? latency : most);
	wl_vec_push(&s->latencies, &latency);
}

static uint32_t number_of(const struct streams *s, const struct wl_op *op)
{
	return s->g->first[op->kind] + (uint32_t)op->row;
}

static struct wl_ending ending_of(const struct streams *s, const struct wl_op *op)
{
	return (struct wl_ending){ op->end, op->start, number_of(s, op), op->place };
}

/* An operation follows what ended last on another stream of its process, if that was just before.
 */
static void follow(struct streams *s, const struct wl_ending *own, const struct wl_ending *from)
{
	bool is_soon = from->number != WL_NONE && !s->m->has_event[own->number] &&
		       own->start - from->end <= WL_INFER_NS && wl_ends_before(from, own);

	s->m->inferred[own->number] = is_soon ? from->number : WL_NONE;
}

/* What ended last on other lanes of the process, where those of a device are few and plain. */
static void follow_lanes(struct streams *s, const struct wl_ending *own, uint32_t own_lane)
{
	static const struct wl_ending none = { .number = WL_NONE };
	const struct wl_place *places = s->m->trace->places;
	const struct wl_ending *best = &none;

	for (size_t i = 0; i < s->n_lanes; i++) {
		const struct last *last = &s->last[s->lane[i]];
		const struct wl_ending *from =
			last->at.end <= own->start ? &last->at : &last->before;

		if (s->lane[i] == own_lane || from->number == WL_NONE ||
		    places[from->of].process != places[own->of].process)
			continue;
		if (best == &none || wl_ends_before(best, from))
			best = from;
	}
	follow(s, own, best);
}

static void note_lane(struct streams *s, uint32_t lane)
{
	if (s->n_lanes < FEW_LANES)
		s->lane[s->n_lanes] = lane;
	s->n_lanes++;
}

/*
 * List the operations of a device by start, each after the one with the latest end of its lane.
 * True where what ended last was found as well: lanes are plain if no operation starts before
 * the one before it ends, and each has a length.
 */
static bool order_device(struct streams *s, uint32_t device, uint32_t *list, size_t *n)
{
	struct wl_op_cursor cursor;
	struct wl_op op;
	bool is_plain = true;

	s->n_lanes = 0;
	wl_ops_begin(s->m->trace, device, &cursor);
	while (wl_ops_next(&cursor, &op)) {
		const struct wl_ending own = ending_of(s, &op);
		uint32_t lane = s->g->lane[op.place];
		struct last *last = &s->last[lane];
		wl_ns until = last->at.number == WL_NONE ? INT64_MIN : last->at.end;

		list[(*n)++] = own.number;
		s->previous[own.number] = last->at.number;
		note_latency(s, &op, until);
		if (last->at.number == WL_NONE)
			note_lane(s, lane);
		is_plain &= op.start >= until && op.end > op.start && s->n_lanes <= FEW_LANES;
		if (is_plain)
			follow_lanes(s, &own, lane);
		if (op.end >= until)
			*last = (struct last){ own, last->at };
	}
	return is_plain;
}

static uint32_t process_of(const struct streams *s, uint32_t op)
{
	return s->m->trace->places[wl_graph_place(s->g, op)].process;
}

static bool is_same_lane(const struct streams *s, uint32_t place, uint32_t other)
{
	return place == other || s->g->lane[place] == s->g->lane[other];
}

static void note_end(const struct streams *s, const struct wl_ending *op)
{
	struct latest *l = &s->latest[s->m->trace->places[op->of].process];

	if (l->op.number != WL_NONE && !is_same_lane(s, l->op.of, op->of))
		l->other = l->op;
	l->op = *op;
}

/* Operations that wait by the default stream's rule have one such candidate each. */
static bool list_default_ends(struct streams *s)
{
	const struct wl_graph_edge *edge = s->m->edges.data;

	if (s->g->counts.edges[WL_EDGE_DEFAULT] == 0)
		return true;
	s->default_end = WL_NEW(s->m->scratch, wl_ns, s->g->n_ops);
	if (!s->default_end || s->m->edges.failed)
		return false;
	for (uint32_t op = 0; op < s->g->n_ops; op++)
		s->default_end[op] = INT64_MIN;
	for (size_t i = 0; i < s->m->edges.n; i++) {
		if (edge[i].kind == WL_EDGE_DEFAULT)
			s->default_end[edge[i].op] = wl_graph_end(s->g, edge[i].from);
	}
	return true;
}

/* When an operation could have started by its stream, the default stream and its launch alone. */
static wl_ns explained(const struct streams *s, uint32_t op)
{
	const struct wl_trace *t = s->m->trace;
	uint32_t before = s->previous[op], row = wl_graph_launch(s->g, op);
	wl_ns start = wl_graph_start(s->g, op), at = INT64_MIN, launched;

	if (before != WL_NONE) {
		at = wl_graph_end(s->g, before);
		at = at > start ? wl_graph_start(s->g, before) : at;
	}
	if (s->default_end && s->default_end[op] > at)
		at = s->default_end[op];
	/* A launch after its operation explains nothing. */
	if (row == WL_NONE || wl_api_start(t)[row] > start)
		return at;
	launched =
		wl_api_start(t)[row] + s->g->latency[t->places[wl_graph_place(s->g, op)].process];
	launched = launched < start ? launched : start;
	return launched > at ? launched : at;
}

static void infer(struct streams *s, const struct wl_ending *own)
{
	const struct latest *l = &s->latest[s->m->trace->places[own->of].process];
	bool is_own = l->op.number != WL_NONE && is_same_lane(s, l->op.of, own->of);

	follow(s, own, is_own ? &l->other : &l->op);
}

/*
 * A capture with events has all of them, so that inference would add contention only. Some tools
 * write few: beside events, inference is left out where it explains at most four times as many
 * starts.
 */
enum { FEW_EVENTS = 4 };

static bool is_inferring(const struct streams *s, uint32_t process)
{
	return !s->m->has_resolved[process] ||
	       s->n_inferred[process] > FEW_EVENTS * s->m->n_events[process];
}

static void choose_inferred(struct streams *s)
{
	for (uint32_t op = 0; op < s->g->n_ops; op++) {
		uint32_t from = s->m->inferred[op];

		if (from != WL_NONE && wl_graph_end(s->g, from) > explained(s, op))
			s->n_inferred[process_of(s, op)]++;
	}
	for (uint32_t op = 0; op < s->g->n_ops; op++) {
		if (s->m->inferred[op] == WL_NONE)
			continue;
		if (is_inferring(s, process_of(s, op)))
			s->g->counts.edges[WL_EDGE_INFERRED]++;
		else
			s->m->inferred[op] = WL_NONE;
	}
}

/*
 * What has ended when an operation starts is taken first, of all that start by then. Operations
 * that start together are put before the first of them is asked.
 */
static void infer_device(struct streams *s, uint32_t device)
{
	struct wl_op_cursor asked, put;
	struct wl_op op, next;
	bool is_left;

	for (size_t i = 0; i < s->m->trace->n_processes; i++)
		s->latest[i].op.number = s->latest[i].other.number = WL_NONE;
	s->running.n = 0;
	wl_ops_begin(s->m->trace, device, &asked);
	put = asked;
	is_left = wl_ops_next(&put, &next);
	while (wl_ops_next(&asked, &op)) {
		const struct wl_ending own = ending_of(s, &op);

		for (; is_left && next.start <= op.start; is_left = wl_ops_next(&put, &next)) {
			const struct wl_ending ending = ending_of(s, &next);

			wl_endings_put(&s->running, &ending);
		}
		while (wl_endings_any(&s->running, op.start)) {
			const struct wl_ending ended = wl_endings_take(&s->running);

			note_end(s, &ended);
		}
		infer(s, &own);
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

/* Latencies must be known before what was inferred is chosen. */
static bool sweep_devices(struct streams *s)
{
	uint32_t *list = WL_NEW(s->m->scratch, uint32_t, s->g->n_ops);
	size_t *first = WL_NEW(s->m->scratch, size_t, s->m->trace->n_devices + 1);
	size_t n = 0;

	if (!list || !first)
		return false;
	for (uint32_t d = 0; d < s->m->trace->n_devices; d++) {
		if (!order_device(s, d, list, &n))
			infer_device(s, d);
		first[d + 1] = n;
	}
	s->m->op = list;
	s->m->op_first = first;
	if (!find_least(s) || !list_default_ends(s))
		return false;
	choose_inferred(s);
	return !s->running.failed;
}

bool wl_graph_streams(struct wl_graph_making *m)
{
	struct streams s = { .m = m,
			     .g = m->to,
			     .previous = WL_NEW(m->arena, uint32_t, m->to->n_ops),
			     .last = WL_NEW(m->scratch, struct last, m->to->n_lanes),
			     .latest = WL_NEW(m->scratch, struct latest, m->trace->n_processes),
			     .n_inferred = WL_NEW(m->scratch, uint32_t, m->trace->n_processes) };
	bool ok;

	m->inferred = WL_NEW(m->scratch, uint32_t, m->to->n_ops);
	ok = s.previous && s.last && s.latest && s.n_inferred && m->inferred;
	wl_vec_init(&s.latencies, sizeof(int64_t), wl_arena_budget(m->arena));
	wl_vec_init(&s.running, sizeof(struct wl_ending), wl_arena_budget(m->arena));
	for (size_t i = 0; ok && i < m->to->n_lanes; i++)
		s.last[i].at.number = s.last[i].before.number = WL_NONE;
	m->to->previous = s.previous;
	ok = ok && sweep_devices(&s);
	wl_vec_release(&s.running);
	wl_vec_release(&s.latencies);
	return ok;
}
