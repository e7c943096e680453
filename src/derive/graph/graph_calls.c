/* SPDX-License-Identifier: MIT */
/* graph_calls.c - the outermost calls of each thread, and which call woke a thread. */
#include "base/sort.h"
#include "derive/graph/graph_parts.h"
#include "derive/rows/outermost.h"

const enum wl_family_id wl_call_families[WL_N_CALL_FAMILIES] = {
	WL_F_API,
	WL_F_MPI_COLLS,
	WL_F_MPI_OTHERS,
};

struct calls {
	struct wl_graph_making *m;
	const struct wl_trace *trace;
	uint32_t *outer, *before, *wake;
	struct wl_outer_lists os; /* by thread */
	struct wl_slice *os_left; /* by thread: OS calls that were not passed yet */
};

/* The calls of a family; lists by thread. */
struct dealt {
	const struct wl_thread_rows *rows;
	struct wl_outer_lists lists;
};

static uint32_t thread_of_call(const void *ctx, size_t row)
{
	return ((const struct dealt *)ctx)->rows->thread[row];
}

static uint32_t thread_of_os(const void *ctx, size_t row)
{
	return wl_osrt_thread(ctx)[row];
}

static wl_ns call_start(const struct calls *c, uint32_t call)
{
	return wl_graph_call_start(c->m->to, call);
}

static wl_ns call_end(const struct calls *c, uint32_t call)
{
	return wl_graph_end(c->m->to, wl_graph_call(c->m->to, call));
}

static uint32_t thread_of(const struct calls *c, uint32_t call)
{
	return wl_graph_call_thread(c->m->to, call);
}

/* In nesting order a call is outermost if it ends after all before it. */
static void take_call(struct calls *c, uint32_t call, uint32_t *last)
{
	wl_ns end = *last == WL_NONE ? 0 : call_end(c, *last);

	if (*last != WL_NONE && call_end(c, call) <= end && call_start(c, call) < end) {
		c->outer[call] = *last;
		return;
	}
	/* Two calls without length at one time follow each other. */
	c->outer[call] = call;
	if (*last != WL_NONE && end <= call_start(c, call))
		c->before[call] = *last;
	else if (*last != WL_NONE)
		c->m->to->counts.violations++;
	*last = call;
}

/* The first in nesting order of the calls that are left of a thread; WL_NONE for none. */
static uint32_t next_call(const struct calls *c, const struct dealt *of, struct wl_slice *left)
{
	uint32_t best = WL_NONE;
	unsigned from = 0;

	for (unsigned i = 0; i < WL_N_CALL_FAMILIES; i++) {
		uint32_t call;

		if (left[i].lo == left[i].hi)
			continue;
		call = c->m->to->first_call[i] + of[i].lists.row[left[i].lo];
		if (best != WL_NONE && (call_start(c, call) > call_start(c, best) ||
					(call_start(c, call) == call_start(c, best) &&
					 call_end(c, call) <= call_end(c, best))))
			continue;
		best = call;
		from = i;
	}
	left[from].lo += best != WL_NONE;
	return best;
}

static bool find_outermost(struct calls *c)
{
	struct dealt of[WL_N_CALL_FAMILIES];

	for (size_t i = 0; i < c->m->to->n_calls; i++)
		c->outer[i] = c->before[i] = c->wake[i] = WL_NONE;
	for (unsigned i = 0; i < WL_N_CALL_FAMILIES; i++) {
		const struct wl_list_deal deal = { wl_call_families[i], c->trace->n_threads,
						   thread_of_call, &of[i] };

		of[i].rows = &c->m->to->calls[i];
		if (!wl_outer_lists_make(c->trace, &deal, c->m->scratch, &of[i].lists))
			return false;
	}
	for (size_t i = 0; i < c->trace->n_threads; i++) {
		struct wl_slice left[WL_N_CALL_FAMILIES];
		uint32_t last = WL_NONE, call;

		for (unsigned k = 0; k < WL_N_CALL_FAMILIES; k++)
			left[k] = of[k].lists.list[i];
		while ((call = next_call(c, of, left)) != WL_NONE)
			take_call(c, call, &last);
	}
	return true;
}

static bool is_outermost(const struct calls *c, uint32_t row)
{
	return c->outer[row] == row;
}

/* Strict, so that no two calls can wake each other. */
static bool ends_before(const struct calls *c, uint32_t a, uint32_t b)
{
	wl_ns ea = call_end(c, a), eb = call_end(c, b);
	wl_ns sa = call_start(c, a), sb = call_start(c, b);

	if (ea != eb)
		return ea < eb;
	return sa != sb ? sa < sb : a < b;
}

static bool end_less(const void *ctx, uint32_t a, uint32_t b)
{
	return ends_before(ctx, a, b);
}

static bool start_less(const void *ctx, uint32_t a, uint32_t b)
{
	wl_ns sa = call_start(ctx, a), sb = call_start(ctx, b);

	return sa != sb ? sa < sb : a < b;
}

/* Whether the thread may have slept between the call before and this one. Asked by start. */
static bool may_sleep(struct calls *c, uint32_t row)
{
	uint32_t thread = thread_of(c, row);
	wl_ns from = call_end(c, c->before[row]), to = call_start(c, row);
	struct wl_slice *left = &c->os_left[thread];

	if (c->os.list[thread].lo == c->os.list[thread].hi)
		return to - from > WL_WAKE_NS;
	/*
	 * In nesting order the first that ends after the gap begins decides. Calls of a thread
	 * are asked for in order, so the place only moves forward.
	 */
	while (left->lo < left->hi && wl_outer_end(&c->os, c->os.row[left->lo]) <= from)
		left->lo++;
	return left->lo < left->hi && c->os.start[c->os.row[left->lo]] < to;
}

/* The two latest ends so far, of different threads of a process. */
struct latest {
	uint32_t call, other;
};

static void note_end(const struct calls *c, struct latest *l, uint32_t row)
{
	if (l->call != WL_NONE && thread_of(c, l->call) != thread_of(c, row))
		l->other = l->call;
	l->call = row;
}

static void find_wake_up(struct calls *c, const struct latest *l, uint32_t row)
{
	bool is_own = l->call != WL_NONE && thread_of(c, l->call) == thread_of(c, row);
	uint32_t by = is_own ? l->other : l->call;

	if (by == WL_NONE || call_end(c, by) < call_end(c, c->before[row]) ||
	    !ends_before(c, by, row))
		return;
	c->wake[row] = by;
	c->m->to->counts.wake_ups++;
}

/* Calls by start meet calls by end: when one starts, those that have ended are known. */
static bool find_wake_ups(struct calls *c)
{
	size_t n_calls = c->m->to->n_calls, n = 0, ended = 0;
	uint32_t *by_start = WL_NEW(c->m->scratch, uint32_t, 3 * n_calls);
	struct latest *latest = WL_NEW(c->m->scratch, struct latest, c->trace->n_processes);
	uint32_t *by_end, *tmp;

	if (!by_start || !latest)
		return false;
	by_end = by_start + n_calls;
	tmp = by_end + n_calls;
	for (size_t i = 0; i < c->trace->n_processes; i++)
		latest[i] = (struct latest){ WL_NONE, WL_NONE };
	for (uint32_t i = 0; i < n_calls; i++) {
		if (!is_outermost(c, i))
			continue;
		by_start[n] = i;
		by_end[n++] = i;
	}
	wl_sort_index(by_start, n, tmp, start_less, c);
	wl_sort_index(by_end, n, tmp, end_less, c);
	for (size_t i = 0; i < n; i++) {
		uint32_t row = by_start[i];
		uint32_t process = wl_graph_call_process(c->m->to, row);

		for (; ended < n && call_end(c, by_end[ended]) <= call_start(c, row); ended++)
			note_end(c, &latest[wl_graph_call_process(c->m->to, by_end[ended])],
				 by_end[ended]);
		if (c->before[row] != WL_NONE && may_sleep(c, row))
			find_wake_up(c, &latest[process], row);
	}
	return true;
}

static bool list_os_calls(struct calls *c)
{
	const struct wl_list_deal deal = { WL_F_OSRT, c->trace->n_threads, thread_of_os, c->trace };

	c->os_left = WL_NEW(c->m->scratch, struct wl_slice, c->trace->n_threads);
	if (!c->os_left || !wl_outer_lists_make(c->trace, &deal, c->m->scratch, &c->os))
		return false;
	for (size_t i = 0; i < c->trace->n_threads; i++)
		c->os_left[i] = c->os.list[i];
	return true;
}

bool wl_graph_calls(struct wl_graph_making *m)
{
	size_t n = m->to->n_calls;
	struct calls c = { .m = m,
			   .trace = m->trace,
			   .outer = WL_NEW(m->arena, uint32_t, n),
			   .before = WL_NEW(m->arena, uint32_t, n),
			   .wake = WL_NEW(m->arena, uint32_t, n) };

	if (!c.outer || !c.before || !c.wake)
		return false;
	m->to->outer = c.outer;
	m->to->call_before = c.before;
	m->to->wake = c.wake;
	return find_outermost(&c) && list_os_calls(&c) && find_wake_ups(&c);
}
