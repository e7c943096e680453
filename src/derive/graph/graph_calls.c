/* SPDX-License-Identifier: MIT */
/* graph_calls.c - the outermost calls of each thread, and which call woke a thread. */
#include "base/sort.h"
#include "derive/graph/graph_parts.h"
#include "derive/rows/outermost.h"

struct calls {
	struct wl_graph_making *m;
	const struct wl_trace *trace;
	uint32_t *outer, *before, *wake;
	struct wl_outer_lists os; /* by thread */
	struct wl_slice *os_left; /* by thread: OS calls that were not passed yet */
};

static uint32_t thread_of_call(const void *ctx, size_t row)
{
	return wl_api_thread(ctx)[row];
}

static uint32_t thread_of_os(const void *ctx, size_t row)
{
	return wl_osrt_thread(ctx)[row];
}

/* In nesting order a call is outermost if it ends after all before it. */
static void sweep_thread(struct calls *c, const struct wl_outer_lists *l, size_t thread)
{
	uint32_t last = WL_NONE;

	for (size_t i = l->list[thread].lo; i < l->list[thread].hi; i++) {
		uint32_t row = l->row[i];
		wl_ns end = last == WL_NONE ? 0 : wl_outer_end(l, last);

		if (last != WL_NONE && wl_outer_end(l, row) <= end && l->start[row] < end) {
			c->outer[row] = last;
			continue;
		}
		/* Two calls without length at one time follow each other. */
		c->outer[row] = row;
		if (last != WL_NONE && end <= l->start[row])
			c->before[row] = last;
		else if (last != WL_NONE)
			c->m->to->counts.violations++;
		last = row;
	}
}

static bool find_outermost(struct calls *c)
{
	const struct wl_list_deal deal = { WL_F_API, c->trace->n_threads, thread_of_call,
					   c->trace };
	struct wl_outer_lists l;

	for (size_t i = 0; i < c->m->to->n_calls; i++)
		c->outer[i] = c->before[i] = c->wake[i] = WL_NONE;
	if (!wl_outer_lists_make(c->trace, &deal, c->m->scratch, &l))
		return false;
	for (size_t i = 0; i < c->trace->n_threads; i++)
		sweep_thread(c, &l, i);
	return true;
}

static bool is_outermost(const struct calls *c, uint32_t row)
{
	return c->outer[row] == row;
}

static wl_ns call_end(const struct calls *c, uint32_t row)
{
	return wl_graph_end(c->m->to, wl_graph_call(c->m->to, row));
}

/* Strict, so that no two calls can wake each other. */
static bool ends_before(const struct calls *c, uint32_t a, uint32_t b)
{
	const wl_ns *start = wl_api_start(c->trace);
	wl_ns ea = call_end(c, a), eb = call_end(c, b);

	if (ea != eb)
		return ea < eb;
	return start[a] != start[b] ? start[a] < start[b] : a < b;
}

static bool end_less(const void *ctx, uint32_t a, uint32_t b)
{
	return ends_before(ctx, a, b);
}

static bool start_less(const void *ctx, uint32_t a, uint32_t b)
{
	const wl_ns *start = wl_api_start(((const struct calls *)ctx)->trace);

	return start[a] != start[b] ? start[a] < start[b] : a < b;
}

/* Whether the thread may have slept between the call before and this one. Asked by start. */
static bool may_sleep(struct calls *c, uint32_t row)
{
	uint32_t thread = wl_api_thread(c->trace)[row];
	wl_ns from = call_end(c, c->before[row]), to = wl_api_start(c->trace)[row];
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
	const uint32_t *thread = wl_api_thread(c->trace);

	if (l->call != WL_NONE && thread[l->call] != thread[row])
		l->other = l->call;
	l->call = row;
}

static void find_wake_up(struct calls *c, const struct latest *l, uint32_t row)
{
	const uint32_t *thread = wl_api_thread(c->trace);
	uint32_t by = l->call != WL_NONE && thread[l->call] == thread[row] ? l->other : l->call;

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
	uint32_t *by_end = by_start + n_calls, *tmp = by_end + n_calls;
	struct latest *latest = WL_NEW(c->m->scratch, struct latest, c->trace->n_processes);

	if (!by_start || !latest)
		return false;
	for (size_t i = 0; i < c->trace->n_processes; i++)
		latest[i] = (struct latest){ WL_NONE, WL_NONE };
	for (uint32_t i = 0; i < n_calls; i++) {
		if (is_outermost(c, i))
			by_start[n] = by_end[n] = i, n++;
	}
	wl_sort_index(by_start, n, tmp, start_less, c);
	wl_sort_index(by_end, n, tmp, end_less, c);
	for (size_t i = 0; i < n; i++) {
		uint32_t row = by_start[i];
		uint32_t process = c->trace->threads[wl_api_thread(c->trace)[row]].process;

		for (; ended < n && call_end(c, by_end[ended]) <= wl_api_start(c->trace)[row];
		     ended++) {
			uint32_t thread = wl_api_thread(c->trace)[by_end[ended]];

			note_end(c, &latest[c->trace->threads[thread].process], by_end[ended]);
		}
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
