/* SPDX-License-Identifier: MIT */
/*
 * The work is done thread by thread, each writing its own slice of the arrays:
 *
 *   order    the thread's ranges by start, longer first
 *   nest     parents, by a stack of ranges whose ends fall towards the top: what a
 *            new range outlasts can never again be the nearest one around anything
 *   calls    the same stack, asked for the topmost range that outlasts the call
 *
 * Then the anchor threads are chosen, and calls of other threads look up the ranges that were open
 * there.
 */
#include "derive/nvtx/forest.h"

#include <string.h>

#include "base/memory/bound.h"
#include "base/memory/sort.h"
#include "base/process/pool.h"
#include "derive/derived.h"
#include "derive/nvtx/range_names.h"
#include "known/exports/codes.h"

struct making {
	const struct wl_trace *trace;
	const struct wl_range_names *names;
	const char *domain; /* NULL for all */
	struct wl_forest *forest;
	uint32_t *row, *name, *parent, *depth, *jump, *below, *of_call, *above, *span;
	wl_ns *start, *end;
	bool *crosses;
	const uint32_t *anchor;
};

static bool is_chosen(const struct making *m, size_t row)
{
	const char *domain;

	if (m->names->of[row] == WL_NONE)
		return false;
	if (!m->domain)
		return true;
	/* "" chooses the default domain, whose ranges have no domain name. */
	domain = wl_range_name_of(m->names, row)->domain;
	return strcmp(domain ? domain : "", m->domain) == 0;
}

/* Give each thread its slice of nodes and spans, and fill in the rows, still in row order. */
static bool deal(struct making *m, struct wl_arena *arena)
{
	const struct wl_trace *t = m->trace;
	const struct wl_slice *rows = wl_slices_find(t, WL_F_NVTX, arena);
	struct wl_slice *nodes = WL_NEW(arena, struct wl_slice, t->n_threads);
	struct wl_slice *spans = WL_NEW(arena, struct wl_slice, t->n_threads);
	size_t n = 0, n_spans = 0;

	if (!rows || !nodes || !spans)
		return false;
	for (size_t i = 0; i < t->n_threads; i++) {
		nodes[i].lo = n;
		spans[i].lo = n_spans;
		for (size_t row = rows[i].lo; row < rows[i].hi; row++) {
			if (!is_chosen(m, row))
				continue;
			if (wl_nvtx_is_push_pop(wl_nvtx_kind(t)[row]))
				m->row[n++] = (uint32_t)row;
			else
				m->span[n_spans++] = (uint32_t)row;
		}
		nodes[i].hi = n;
		spans[i].hi = n_spans;
	}
	m->forest->n = n;
	m->forest->n_spans = n_spans;
	m->forest->nodes = nodes;
	m->forest->spans = spans;
	return true;
}

static wl_ns end_of_row(const struct wl_trace *t, uint32_t row)
{
	return wl_nvtx_start(t)[row] + wl_dur(&t->family[WL_F_NVTX], wl_nvtx_dur(t), row);
}

/* Rows come ordered by start and end; of those that start together the longer must come first. */
static bool nesting_less(const void *ctx, uint32_t a, uint32_t b)
{
	const struct wl_trace *t = ((const struct making *)ctx)->trace;

	if (wl_nvtx_start(t)[a] != wl_nvtx_start(t)[b])
		return wl_nvtx_start(t)[a] < wl_nvtx_start(t)[b];
	return end_of_row(t, a) > end_of_row(t, b);
}

static void fill_nodes(struct making *m, struct wl_slice s, uint32_t *tmp)
{
	const struct wl_trace *t = m->trace;

	/* Rows come ordered by (start, end), so only runs of equal starts change their order. */
	wl_sort_index(m->row + s.lo, s.hi - s.lo, tmp, nesting_less, m);
	for (size_t i = s.lo; i < s.hi; i++) {
		m->start[i] = wl_nvtx_start(t)[m->row[i]];
		m->end[i] = end_of_row(t, m->row[i]);
		m->name[i] = m->names->of[m->row[i]];
	}
}

/* A stack of nodes, as indexes. */
struct stack {
	uint32_t *node;
	size_t n;
};

static uint32_t top(const struct stack *s)
{
	return s->n ? s->node[s->n - 1] : WL_NONE;
}

/*
 * Push a node on the stack of ranges that may enclose what comes next. True when it crosses one of
 * them.
 */
static bool nest(struct making *m, struct stack *s, uint32_t node)
{
	bool crosses = false;

	while (s->n && m->end[top(s)] < m->end[node]) {
		crosses = crosses || m->end[top(s)] > m->start[node];
		s->n--;
	}
	m->parent[node] = top(s);
	/* A range that ends together with its child is never the nearest again. */
	if (s->n && m->end[top(s)] == m->end[node])
		s->n--;
	s->node[s->n++] = node;
	wl_jumps_set(&m->forest->up, node);
	return crosses;
}

/* The topmost node of the stack that outlasts the call; ends fall towards the top. */
static uint32_t around_call(const struct making *m, struct stack *s, wl_ns start, wl_ns end)
{
	size_t lo = 0, hi;

	/*
	 * Ends grow towards the bottom: a node that ended before this call ended before all later
	 * calls, and each node is popped once.
	 */
	while (s->n && m->end[top(s)] < start)
		s->n--;
	if (s->n == 0 || m->end[top(s)] >= end)
		return top(s);
	for (hi = s->n; lo < hi;) {
		size_t mid = lo + (hi - lo) / 2;

		if (m->end[s->node[mid]] >= end)
			lo = mid + 1;
		else
			hi = mid;
	}
	return lo ? s->node[lo - 1] : WL_NONE;
}

static void find_parents_and_calls(struct making *m, uint32_t thread, struct stack s)
{
	const struct wl_trace *t = m->trace;
	const struct wl_slice nodes = m->forest->nodes[thread], calls = m->forest->calls[thread];
	bool crosses = false;
	size_t node = nodes.lo;

	for (size_t call = calls.lo; call < calls.hi; call++) {
		wl_ns start = wl_api_start(t)[call];

		for (; node < nodes.hi && m->start[node] <= start; node++)
			crosses = nest(m, &s, (uint32_t)node) || crosses;
		m->of_call[call] = around_call(
			m, &s, start, start + wl_dur(&t->family[WL_F_API], wl_api_dur(t), call));
	}
	for (; node < nodes.hi; node++)
		crosses = nest(m, &s, (uint32_t)node) || crosses;
	m->crosses[thread] = crosses;
}

/*
 * The node, or the last one before it, that is open at t. Nodes between a node and its parent do
 * not contain it, so they end before it does: once it has ended, none of them is open.
 */
static uint32_t last_open(const struct wl_forest *f, uint32_t node, wl_ns t)
{
	return wl_jumps_lasting(&f->up, node, t + 1);
}

/* For each node, the last earlier node that has not ended when it starts, whether or not that one
 * contains it. */
static void find_below(struct making *m, struct wl_slice nodes)
{
	for (size_t i = nodes.lo; i < nodes.hi; i++)
		m->below[i] = i > nodes.lo ? wl_jumps_lasting(&m->forest->up, (uint32_t)(i - 1),
							      m->start[i])
					   : WL_NONE;
}

static bool do_thread(void *ctx, size_t i, struct wl_arena *arena)
{
	struct making *m = ctx;
	struct wl_slice nodes = m->forest->nodes[i];
	struct wl_arena scratch;
	uint32_t *room;

	wl_arena_init_child(&scratch, arena);
	room = WL_NEW(&scratch, uint32_t, nodes.hi - nodes.lo);
	if (room) {
		fill_nodes(m, nodes, room);
		find_parents_and_calls(m, (uint32_t)i, (struct stack){ room, 0 });
		find_below(m, nodes);
	}
	wl_arena_release(&scratch);
	return room != NULL;
}

/* The time that a thread's ranges cover: those of the default domain, or all that are not
 * NCCL's. */
static wl_ns covered(const struct making *m, uint32_t thread, bool default_only, bool *ret_any)
{
	struct wl_slice nodes = m->forest->nodes[thread];
	wl_ns sum = 0, until = INT64_MIN;

	*ret_any = false;
	for (size_t i = nodes.lo; i < nodes.hi; i++) {
		const struct wl_range_name *name = &m->names->name[m->name[i]];

		if (default_only ? !name->is_default : name->is_nccl)
			continue;
		*ret_any = true;
		if (m->end[i] <= until)
			continue;
		/* Nodes are in order of start, so the union needs only the furthest end so far. */
		sum += m->end[i] - (m->start[i] > until ? m->start[i] : until);
		until = m->end[i];
	}
	return sum;
}

/* Whether thread a is a better anchor than b, given the time they cover. */
static bool is_better_anchor(const struct wl_trace *t, uint32_t a, wl_ns covers_a, uint32_t b,
			     wl_ns covers_b)
{
	const struct wl_thread *ta = &t->threads[a], *tb = &t->threads[b];
	bool main_a = ta->tid == t->processes[ta->process].pid;
	bool main_b = tb->tid == t->processes[tb->process].pid;

	if (covers_a != covers_b)
		return covers_a > covers_b;
	if (main_a != main_b)
		return main_a;
	/* Any fixed order will do; the global id does not depend on the order of rows. */
	return ta->global < tb->global;
}

static uint32_t *choose_anchors(const struct making *m, struct wl_arena *arena)
{
	const struct wl_trace *t = m->trace;
	uint32_t *anchor = WL_NEW(arena, uint32_t, t->n_processes);
	wl_ns *best = WL_NEW(arena, wl_ns, t->n_processes);
	bool *has_default = WL_NEW(arena, bool, t->n_processes);

	if (!anchor || !best || !has_default)
		return NULL;
	for (size_t i = 0; i < t->n_processes; i++)
		anchor[i] = WL_NONE;
	/* First by default-domain ranges; then, for processes that have none, by the others. */
	for (int pass = 0; pass < 2; pass++) {
		for (uint32_t i = 0; i < t->n_threads; i++) {
			uint32_t p = t->threads[i].process;
			bool any;
			wl_ns covers;

			if (pass == 1 && has_default[p])
				continue;
			covers = covered(m, i, pass == 0, &any);
			if (any && (anchor[p] == WL_NONE ||
				    is_better_anchor(t, i, covers, anchor[p], best[p]))) {
				anchor[p] = i;
				best[p] = covers;
			}
		}
		for (size_t p = 0; p < t->n_processes; p++)
			has_default[p] = anchor[p] != WL_NONE;
	}
	return anchor;
}

/* How many of the nodes before hi start at t or earlier, given that those before lo do. */
static size_t count_started(const struct wl_forest *f, size_t lo, size_t hi, wl_ns t)
{
	return lo + WL_UPTO(f->start + lo, hi - lo, t);
}

uint32_t wl_forest_open_at(const struct wl_forest *f, uint32_t thread, wl_ns t)
{
	struct wl_slice s = f->nodes[thread];
	size_t n = count_started(f, s.lo, s.hi, t);

	return n > s.lo ? last_open(f, (uint32_t)(n - 1), t) : WL_NONE;
}

uint32_t wl_forest_open_next(const struct wl_forest *f, uint32_t node, wl_ns t)
{
	return last_open(f, f->below[node], t);
}

uint32_t wl_forest_around(const struct wl_forest *f, uint32_t thread, wl_ns start, wl_ns end)
{
	struct wl_slice s = f->nodes[thread];
	size_t n = count_started(f, s.lo, s.hi, start);

	return wl_jumps_lasting(&f->up, n > s.lo ? (uint32_t)(n - 1) : WL_NONE, end);
}

/*
 * Calls come in order of start, so each search begins where the last one ended: started nodes are
 * found in growing steps, and ended nodes stay ended.
 */
static void bridge(struct making *m, struct wl_slice calls, struct wl_slice nodes)
{
	const struct wl_forest *f = m->forest;
	size_t n = nodes.lo;
	uint32_t open = WL_NONE;

	for (size_t call = calls.lo; call < calls.hi; call++) {
		wl_ns t = wl_api_start(m->trace)[call];
		size_t step = 1;

		if (n < nodes.hi && f->start[n] <= t) {
			/*
			 * Galloping: the steps of all calls together are linear in nodes where
			 * calls are dense, and logarithmic per call where they are rare.
			 */
			for (; n + step < nodes.hi && f->start[n + step] <= t; step *= 2)
				n += step;
			n = count_started(f, n, n + step < nodes.hi ? n + step : nodes.hi, t);
			open = (uint32_t)(n - 1);
		}
		open = last_open(f, open, t);
		m->above[call] = open;
	}
}

static bool bridge_thread(void *ctx, size_t thread, struct wl_arena *arena)
{
	struct making *m = ctx;
	const struct wl_slice calls = m->forest->calls[thread];
	uint32_t anchor = m->anchor[m->trace->threads[thread].process];

	(void)arena;
	if (anchor != WL_NONE && anchor != thread) {
		bridge(m, calls, m->forest->nodes[anchor]);
	} else {
		for (size_t call = calls.lo; call < calls.hi; call++)
			m->above[call] = WL_NONE;
	}
	return true;
}

static bool allocate(struct making *m, struct wl_arena *arena)
{
	size_t n = m->trace->family[WL_F_NVTX].n, n_calls = m->trace->family[WL_F_API].n;

	m->row = WL_NEW(arena, uint32_t, n);
	m->span = WL_NEW(arena, uint32_t, n);
	m->name = WL_NEW(arena, uint32_t, n);
	m->parent = WL_NEW(arena, uint32_t, n);
	m->depth = WL_NEW(arena, uint32_t, n);
	m->jump = WL_NEW(arena, uint32_t, n);
	m->below = WL_NEW(arena, uint32_t, n);
	m->start = WL_NEW(arena, wl_ns, n);
	m->end = WL_NEW(arena, wl_ns, n);
	m->of_call = WL_NEW(arena, uint32_t, n_calls);
	m->above = WL_NEW(arena, uint32_t, n_calls);
	m->crosses = WL_NEW(arena, bool, m->trace->n_threads);
	return m->row && m->span && m->name && m->parent && m->depth && m->jump && m->below &&
	       m->start && m->end && m->of_call && m->above && m->crosses;
}

static bool make(struct making *m, struct wl_pool *pool, struct wl_arena *arena)
{
	struct wl_forest *f = m->forest;
	size_t n_threads = m->trace->n_threads;

	/*
	 * Room for all NVTX rows, because the numbers of nodes and spans are known only after
	 * dealing.
	 */
	if (!m->names || !allocate(m, arena) || !deal(m, arena))
		return false;
	f->calls = wl_slices_find(m->trace, WL_F_API, arena);
	if (!f->calls)
		return false;
	f->row = m->row;
	f->name = m->name;
	f->start = m->start;
	f->end = m->end;
	f->parent = m->parent;
	f->up = (struct wl_jumps){ m->end, m->parent, m->depth, m->jump };
	f->below = m->below;
	f->span = m->span;
	f->of_call = m->of_call;
	f->above = m->above;
	f->crosses = m->crosses;
	if (!wl_pool_map(pool, n_threads, do_thread, m, arena))
		return false;
	m->anchor = f->anchor = choose_anchors(m, arena);
	return m->anchor && wl_pool_map(pool, n_threads, bridge_thread, m, arena);
}

bool wl_forest_find(const struct wl_derived *derived, struct wl_arena *arena, struct wl_forest *ret)
{
	return wl_forest_of_domain(derived, NULL, arena, ret);
}

bool wl_forest_of_domain(const struct wl_derived *derived, const char *domain,
			 struct wl_arena *arena, struct wl_forest *ret)
{
	struct making m = { .trace = derived->trace,
			    .names = derived->range_names,
			    .domain = domain,
			    .forest = ret };

	return make(&m, derived->opts.pool, arena);
}

bool wl_span_is_on_one_thread(const struct wl_trace *trace, uint32_t nvtx_row)
{
	uint32_t last = wl_nvtx_end_thread(trace)[nvtx_row];

	return last == WL_NONE || last == wl_nvtx_thread(trace)[nvtx_row];
}
