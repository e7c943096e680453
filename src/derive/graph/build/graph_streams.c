/* SPDX-License-Identifier: MIT */
/* graph_streams.c - operations by start: stream order and latencies. */
#include "base/memory/sort.h"
#include "derive/graph/build/graph_parts.h"
#include "derive/rows/ops.h"

struct streams {
	struct wl_graph_making *m;
	struct wl_graph *g;
	uint32_t *previous;
	struct last *last;       /* by lane */
	struct wl_vec latencies; /* int64_t: process in the bits above LATENCY_BITS */
};

/* The operation of a lane with the latest end so far; number is WL_NONE if there is none yet. */
struct last {
	uint32_t number;
	wl_ns start, end;
};

/* Latencies of all processes are sorted as a single list of numbers. */
enum { LATENCY_BITS = 36 };

/* Note the latency of an operation whose stream was idle when its launch call began. */
static void note_latency(struct streams *s, const struct wl_op *op, wl_ns launched, wl_ns idle_from)
{
	const int64_t most = ((int64_t)1 << LATENCY_BITS) - 1;
	wl_ns latency = op->start - launched;

	s->g->counts.negative += latency < 0;
	if (latency < 0 || idle_from > launched)
		return;
	latency = ((int64_t)s->m->trace->places[op->place].process << LATENCY_BITS) +
		  (latency < most ? latency : most);
	wl_vec_push(&s->latencies, &latency);
}

/* Note an operation that starts late for any least latency of its process. */
static void note_late(struct streams *s, const struct wl_graph_late *late, wl_ns start)
{
	wl_ns from = late->stream > late->launched ? late->stream : late->launched;

	if (from != INT64_MIN && start - from > WL_UNEXPLAINED_NS)
		wl_vec_push(&s->m->late, late);
}

/* List the operations of a device by start, and link each to the operation with the latest end on
 * its lane. */
static void order_device(struct streams *s, uint32_t device, uint32_t *list, size_t *n)
{
	const wl_ns *launch = wl_api_start(s->m->trace);
	struct wl_op_cursor cursor;
	struct wl_op op;

	wl_ops_begin(s->m->trace, device, &cursor);
	while (wl_ops_next(&cursor, &op)) {
		struct last *last = &s->last[s->g->lane[op.place]];
		uint32_t row = wl_link_of(s->g->links, op.kind, op.row);
		wl_ns until = last->number == WL_NONE ? INT64_MIN : last->end;
		struct wl_graph_late late = { s->g->first[op.kind] + (uint32_t)op.row,
					      until > op.start ? last->start : until, INT64_MIN };

		list[(*n)++] = late.op;
		s->previous[late.op] = last->number;
		if (row != WL_NONE)
			note_latency(s, &op, launch[row], until);
		/* A launch that begins after its operation explains nothing. */
		if (row != WL_NONE && launch[row] <= op.start)
			late.launched = launch[row];
		note_late(s, &late, op.start);
		if (op.end >= until)
			*last = (struct last){ late.op, op.start, op.end };
	}
}

/* Per process, the second percentile, or the default if there are too few latencies. */
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

bool wl_graph_streams(struct wl_graph_making *m)
{
	struct streams s = { .m = m,
			     .g = m->to,
			     .previous = WL_NEW(m->arena, uint32_t, m->to->n_ops),
			     .last = WL_NEW(m->scratch, struct last, m->to->n_lanes) };
	uint32_t *list = WL_NEW(m->scratch, uint32_t, m->to->n_ops);
	size_t *first = WL_NEW(m->scratch, size_t, m->trace->n_devices + 1);
	size_t n = 0;
	bool ok;

	if (!s.previous || !s.last || !list || !first)
		return false;
	wl_vec_init(&s.latencies, sizeof(int64_t), wl_arena_budget(m->arena));
	for (size_t i = 0; i < m->to->n_lanes; i++)
		s.last[i].number = WL_NONE;
	for (uint32_t d = 0; d < m->trace->n_devices; d++) {
		order_device(&s, d, list, &n);
		first[d + 1] = n;
	}
	m->op = list;
	m->op_first = first;
	m->to->previous = s.previous;
	ok = find_least(&s) && !m->late.failed;
	wl_vec_release(&s.latencies);
	return ok;
}
