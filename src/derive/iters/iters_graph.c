/* SPDX-License-Identifier: MIT */
/*
 * iters_graph.c - finds steps by launches of one CUDA graph, the one of each process with the
 * longest total run time. A step begins with the first operation of a launch.
 *
 * A graph is identified by the id that its nodes and replays carry; without one, by its content:
 * launches with equal operations belong to one graph.
 *
 * A step need not lie entirely inside the graph: the optimizer may follow it. The usual period is
 * the one whose operations, counted by name, most periods have exactly; each period owns as many
 * operations of each name as the usual one has. If these make up at least 80% of the busy time
 * between the first launch and the last, and that stretch has half of the process's busy time, the
 * launches mark steps.
 */
#include <stdio.h>

#include "base/memory/compare.h"
#include "base/memory/intern.h"
#include "base/memory/sort.h"
#include "base/num.h"
#include "derive/derived.h"
#include "derive/iters/iters_parts.h"
#include "derive/rows/ops.h"
#include "derive/rows/stats.h"
#include "known/calls/calls.h"

/* Two launches make one period, and one period cannot be the usual one. */
enum { MIN_LAUNCHES = 3 };

/* The operations launched by one call. */
struct launch {
	uint64_t graph;   /* WL_NO_U64 if unknown */
	uint64_t content; /* hash of its operations, regardless of order */
	wl_ns first, sum;
};

/* The identity of a graph. No padding. */
struct key {
	uint64_t id;
	uint32_t process;
	uint32_t by_content; /* id is a content hash */
};

struct graph {
	struct key key;
	size_t n;
	wl_ns sum;
};

struct search {
	const struct wl_iter_input *in;
	const struct wl_links *links;
	struct launch *launch;     /* by API row */
	uint32_t *graph_of;        /* by API row: of keys; WL_NONE for other calls */
	struct wl_intern keys;     /* struct key */
	struct wl_vec graphs;      /* struct graph, by key */
	const struct graph **best; /* by process */
};

/*
 * Sums of mixed numbers do not depend on the order of operations, which may vary between the
 * streams of a graph.
 */
static uint64_t mix(uint64_t v)
{
	return wl_mul_fold(v ^ UINT64_C(0x9e3779b97f4a7c15), UINT64_C(0xbf58476d1ce4e5b9));
}

/* Numbers for names: those of kernels, then one for each other family. */
static size_t n_names(const struct wl_trace *t)
{
	return t->n_kernel_names + WL_N_OP_FAMILIES;
}

static size_t name_of(const struct wl_trace *t, const struct wl_op *op)
{
	return op->kind == WL_OP_KERNEL && wl_kernels_name(t) ? wl_kernels_name(t)[op->row]
							      : t->n_kernel_names + op->kind;
}

/* By API row: whether it launches a graph. *ret_any is set if any call does. */
static const bool *find_graph_calls(const struct wl_trace *t, struct wl_arena *arena, bool *ret_any)
{
	size_t n = t->family[WL_F_API].n;
	uint8_t *known = WL_NEW(arena, uint8_t, t->strings.n); /* 1: no, 2: yes */
	bool *is = WL_NEW(arena, bool, n);

	*ret_any = false;
	for (size_t i = 0; known && is && i < n; i++) {
		uint32_t name = wl_api_name(t)[i];

		if (name == WL_NONE)
			continue;
		if (!known[name])
			known[name] = wl_call_launches_graph(wl_str(t, name)) ? 2 : 1;
		is[i] = known[name] == 2;
		*ret_any = *ret_any || is[i];
	}
	return known ? is : NULL;
}

static uint64_t graph_of(const struct wl_trace *t, const struct wl_op *op)
{
	if (op->kind == WL_OP_GRAPH) {
		uint32_t id = wl_graphs_graph(t) ? wl_graphs_graph(t)[op->row] : WL_NONE;

		return id == WL_NONE ? WL_NO_U64 : id;
	}
	if (op->kind == WL_OP_KERNEL && wl_kernels_node(t)) {
		uint64_t node = wl_kernels_node(t)[op->row];

		/* The upper half is the graph, the lower one the node in it. */
		return node == 0 || node == WL_NO_U64 ? WL_NO_U64 : node >> 32;
	}
	return WL_NO_U64;
}

static void take_ops(struct search *s, const bool *is_graph_call)
{
	const struct wl_trace *t = s->in->trace;

	for (uint32_t d = 0; d < t->n_devices; d++) {
		struct wl_op_cursor cursor;
		struct wl_op op;

		wl_ops_begin(t, d, &cursor);
		while (wl_ops_next(&cursor, &op)) {
			uint32_t call = wl_link_of(s->links, op.kind, op.row);
			struct launch *l = call == WL_NONE ? NULL : &s->launch[call];

			if (!l || !is_graph_call[call])
				continue;
			if (l->graph == WL_NO_U64)
				l->graph = graph_of(t, &op);
			l->content += mix(name_of(t, &op));
			l->first = op.start < l->first ? op.start : l->first;
			l->sum = wl_add_up(l->sum, op.end - op.start);
		}
	}
}

/* Assign a graph to each launch that has operations. */
static bool make_graphs(struct search *s)
{
	const struct wl_trace *t = s->in->trace;

	for (size_t i = 0; i < t->family[WL_F_API].n; i++) {
		const struct launch *l = &s->launch[i];
		bool by_content = l->graph == WL_NO_U64;
		struct key key = { by_content ? l->content : l->graph,
				   t->threads[wl_api_thread(t)[i]].process, by_content };
		struct graph *g;

		s->graph_of[i] = WL_NONE;
		if (l->first == INT64_MAX)
			continue;
		s->graph_of[i] = wl_intern_put(&s->keys, &key);
		if (s->graph_of[i] == s->graphs.n)
			wl_vec_push(&s->graphs, &(struct graph){ .key = key });
		if (s->graph_of[i] == WL_NONE || s->graphs.failed)
			return false;
		g = (struct graph *)s->graphs.data + s->graph_of[i];
		g->n++;
		g->sum = wl_add_up(g->sum, l->sum);
	}
	return true;
}

/* Choose for each process the graph that ran longest, on a tie the one that was launched first. */
static void choose(struct search *s, const bool *wanted)
{
	const struct graph *g = s->graphs.data;

	for (size_t i = 0; i < s->graphs.n; i++) {
		const struct graph **best = &s->best[g[i].key.process];

		if (wanted[g[i].key.process] && g[i].n >= MIN_LAUNCHES &&
		    (!*best || g[i].sum > (*best)->sum))
			*best = &g[i];
	}
}

/* The start times of the graph's launches, in order. */
static bool find_starts(const struct search *s, const struct graph *g, struct wl_arena *arena,
			wl_ns **ret)
{
	uint32_t number = (uint32_t)(g - (const struct graph *)s->graphs.data);
	wl_ns *start = WL_NEW(arena, wl_ns, g->n);
	size_t n = 0;

	for (size_t i = 0; start && i < s->in->trace->family[WL_F_API].n; i++) {
		if (s->graph_of[i] == number)
			start[n++] = s->launch[i].first;
	}
	wl_sort_i64(start, n);
	*ret = start;
	return start != NULL;
}

/* The periods of a process: [start[i], start[i + 1]), one fewer than there are launches. */
struct measuring {
	const struct wl_trace *trace;
	uint32_t process;
	uint32_t device; /* being walked */
	const wl_ns *start;
	size_t n;        /* periods */
	uint64_t *hash;  /* by period: hash of its operations */
	uint32_t *usual; /* by name: its number of operations in the usual period, on a device */
	uint32_t *seen;  /* by name: its number so far in the current period */
	uint32_t *met;   /* the names with seen > 0 */
	size_t n_met;
	wl_ns owned, busy;
};

/* Call fn for the process's operations in the periods, by device in order of start. */
static void walk(struct measuring *m, uint32_t device,
		 void (*fn)(struct measuring *m, size_t period, const struct wl_op *op, void *ctx),
		 void *ctx)
{
	struct wl_op_cursor cursor;
	struct wl_op op;
	size_t period = 0;

	m->device = device;
	wl_ops_begin(m->trace, device, &cursor);
	while (wl_ops_next(&cursor, &op) && op.start < m->start[m->n]) {
		if (op.start < m->start[0] || m->trace->places[op.place].process != m->process)
			continue;
		/*
		 * op.start lies before the last start, so the loop ends; over all operations it is
		 * linear in periods.
		 */
		while (op.start >= m->start[period + 1])
			period++;
		fn(m, period, &op, ctx);
	}
}

static void add_hash(struct measuring *m, size_t period, const struct wl_op *op, void *ctx)
{
	(void)ctx;
	/*
	 * Names have 32 bits, so the device goes into higher bits: the same kernel on another GPU
	 * counts as a different one.
	 */
	m->hash[period] += mix(name_of(m->trace, op) ^ (uint64_t)m->device << 40);
}

static void count_usual(struct measuring *m, size_t period, const struct wl_op *op, void *ctx)
{
	const size_t *usual = ctx;

	m->usual[name_of(m->trace, op)] += period == *usual;
}

struct walking {
	size_t period;
	struct wl_busy owned, busy;
};

static void forget(struct measuring *m)
{
	while (m->n_met)
		m->seen[m->met[--m->n_met]] = 0;
}

static void add_owned(struct measuring *m, size_t period, const struct wl_op *op, void *ctx)
{
	struct walking *w = ctx;
	wl_ns end = op->end < m->start[m->n] ? op->end : m->start[m->n];
	uint32_t name = (uint32_t)name_of(m->trace, op);

	if (period != w->period)
		forget(m);
	w->period = period;
	wl_busy_add(&w->busy, op->start, end);
	if (m->seen[name] == 0)
		m->met[m->n_met++] = name;
	/*
	 * Operations beyond the usual number for a name, such as those of a checkpoint, do not
	 * belong to the step.
	 */
	if (m->seen[name]++ < m->usual[name])
		wl_busy_add(&w->owned, op->start, end);
}

WL_LESS(hash_less, uint64_t)

/* The first period with the most common set of operations. */
static bool find_usual(const struct measuring *m, struct wl_arena *scratch, size_t *ret)
{
	uint32_t *order = WL_NEW(scratch, uint32_t, m->n), *tmp = WL_NEW(scratch, uint32_t, m->n);
	size_t most = 0;

	if (!order || !tmp)
		return false;
	for (uint32_t i = 0; i < m->n; i++)
		order[i] = i;
	wl_sort_index(order, m->n, tmp, hash_less, m->hash);
	for (size_t lo = 0, hi; lo < m->n; lo = hi) {
		for (hi = lo + 1; hi < m->n && m->hash[order[hi]] == m->hash[order[lo]];)
			hi++;
		if (hi - lo > most || (hi - lo == most && order[lo] < *ret)) {
			most = hi - lo;
			*ret = order[lo];
		}
	}
	return true;
}

static bool measure(struct measuring *m, const struct wl_iter_process *p, struct wl_arena *scratch)
{
	size_t names = n_names(m->trace);
	size_t usual = 0;

	m->hash = WL_NEW(scratch, uint64_t, m->n);
	m->seen = WL_NEW(scratch, uint32_t, names);
	m->usual = WL_NEW(scratch, uint32_t, names);
	m->met = WL_NEW(scratch, uint32_t, names);
	if (!m->hash || !m->seen || !m->usual || !m->met)
		return false;
	for (size_t r = 0; r < p->n_runs; r++)
		walk(m, p->run[r].device, add_hash, NULL);
	if (!find_usual(m, scratch, &usual))
		return false;
	for (size_t r = 0; r < p->n_runs; r++) {
		struct walking w = { .period = 0, .owned = { 0, INT64_MIN } };

		w.busy = w.owned;
		for (size_t i = 0; i < names; i++)
			m->usual[i] = 0;
		walk(m, p->run[r].device, count_usual, &usual);
		walk(m, p->run[r].device, add_owned, &w);
		forget(m);
		m->owned = wl_add_up(m->owned, w.owned.sum);
		m->busy = wl_add_up(m->busy, w.busy.sum);
	}
	return true;
}

static bool take_graph(const struct search *s, uint32_t process, struct wl_arena *arena,
		       struct wl_arena *scratch, struct wl_steps_found *ret)
{
	const struct graph *g = s->best[process];
	struct measuring m = { .trace = s->in->trace, .process = process, .n = g->n - 1 };
	char what[64];
	wl_ns *start;

	if (!find_starts(s, g, arena, &start))
		return false;
	m.start = start;
	if (!measure(&m, &s->in->process[process], scratch))
		return false;
	/*
	 * The same shares as in iters_share.c, but in floating point, because ten times a saturated
	 * sum would overflow.
	 */
	if (m.busy == 0 || 10 * (double)m.owned < 8 * (double)m.busy ||
	    2 * (double)m.busy < (double)s->in->process[process].busy)
		return true;
	(void)snprintf(what, sizeof(what), g->key.by_content ? "graph" : "graph %llu",
		       (unsigned long long)g->key.id);
	*ret = (struct wl_steps_found){ .method = WL_ITER_GRAPH,
					.start = start,
					.n_starts = g->n,
					.what = wl_arena_strdup(arena, what),
					.is = "launch of one CUDA graph" };
	return ret->what != NULL;
}

static bool find_all(struct search *s, const bool *wanted, struct wl_arena *arena,
		     struct wl_arena *scratch, struct wl_steps_found *out)
{
	const struct wl_trace *t = s->in->trace;
	size_t n = t->family[WL_F_API].n;
	bool any, ok;
	const bool *is_graph_call = find_graph_calls(t, scratch, &any);

	if (!is_graph_call || !any)
		return is_graph_call != NULL;
	s->launch = WL_NEW(scratch, struct launch, n);
	s->graph_of = WL_NEW(scratch, uint32_t, n);
	s->best = WL_NEW(scratch, const struct graph *, t->n_processes);
	if (!s->launch || !s->graph_of || !s->best)
		return false;
	for (size_t i = 0; i < n; i++)
		s->launch[i] = (struct launch){ .graph = WL_NO_U64, .first = INT64_MAX };
	take_ops(s, is_graph_call);
	ok = make_graphs(s);
	if (ok)
		choose(s, wanted);
	for (uint32_t p = 0; ok && p < t->n_processes; p++)
		ok = !s->best[p] || take_graph(s, p, arena, scratch, &out[p]);
	return ok;
}

const struct wl_steps_found *wl_iter_graphs(const struct wl_iter_input *in, const bool *wanted,
					    struct wl_arena *arena)
{
	const struct wl_trace *t = in->trace;
	struct wl_steps_found *out = WL_NEW(arena, struct wl_steps_found, t->n_processes);
	struct search s = { .in = in, .links = in->derived->links };
	struct wl_arena scratch;
	bool ok;

	if (!out || !s.links)
		return NULL;
	if (!t->family[WL_F_API].n || !wl_api_name(t) || !wl_api_thread(t))
		return out;
	wl_arena_init_child(&scratch, arena);
	wl_intern_init(&s.keys, sizeof(struct key), wl_arena_budget(arena));
	wl_vec_init(&s.graphs, sizeof(struct graph), wl_arena_budget(arena));
	ok = find_all(&s, wanted, arena, &scratch, out);
	wl_vec_release(&s.graphs);
	wl_intern_release(&s.keys);
	wl_arena_release(&scratch);
	return ok ? out : NULL;
}
