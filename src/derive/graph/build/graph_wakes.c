/* SPDX-License-Identifier: MIT */
/* graph_wakes.c - which call of another thread woke a sleeping thread. */
#include "base/memory/bound.h"
#include "derive/graph/build/endings.h"
#include "derive/graph/build/graph_parts.h"
#include "derive/rows/outermost.h"

struct wakes {
	struct wl_graph_making *m;
	const struct wl_trace *trace;
	const struct wl_graph_calling *of;
	const uint32_t *outer, *before;
	uint32_t *wake;
	struct wl_outer_lists os; /* by thread */
	struct wl_slice *os_left; /* by thread: remaining OS calls */
};

static uint32_t thread_of_os(const void *ctx, size_t row)
{
	return wl_osrt_thread(ctx)[row];
}

static wl_ns call_start(const struct wakes *c, uint32_t call)
{
	return wl_graph_call_start(c->m->to, call);
}

static wl_ns call_end(const struct wakes *c, uint32_t call)
{
	return wl_graph_end(c->m->to, wl_graph_call(c->m->to, call));
}

static uint32_t thread_of(const struct wakes *c, uint32_t call)
{
	return wl_graph_call_thread(c->m->to, call);
}

static bool is_outermost(const struct wakes *c, uint32_t row)
{
	return c->outer[row] == row;
}

static struct wl_ending ending_of(const struct wakes *c, uint32_t call)
{
	return (struct wl_ending){ call_end(c, call), call_start(c, call), call, 0 };
}

/* Start of the host gap before a call; for a thread's first call, before all other times. */
static wl_ns gap_begin(const struct wakes *c, uint32_t row)
{
	return c->before[row] == WL_NONE ? -WL_TIME_MAX : call_end(c, c->before[row]);
}

/* Whether the thread may have slept between the previous call and this one. Must be asked in order
 * of start. */
static bool may_sleep(struct wakes *c, uint32_t row)
{
	uint32_t thread = thread_of(c, row);
	wl_ns from = gap_begin(c, row), to = call_start(c, row);
	struct wl_slice *left = &c->os_left[thread];

	if (c->os.list[thread].lo == c->os.list[thread].hi)
		return to - from > WL_WAKE_NS;
	/*
	 * In nesting order, the first OS call that ends after the gap begins decides. Calls of a
	 * thread are asked for in order, so the position only moves forward.
	 */
	while (left->lo < left->hi && wl_outer_end(&c->os, c->os.row[left->lo]) <= from)
		left->lo++;
	return left->lo < left->hi && c->os.start[c->os.row[left->lo]] < to;
}

/* The two latest ends so far, of different threads of a process. */
struct latest {
	uint32_t call, other;
};

static void note_end(const struct wakes *c, struct latest *l, uint32_t row)
{
	if (l->call != WL_NONE && thread_of(c, l->call) != thread_of(c, row))
		l->other = l->call;
	l->call = row;
}

static void find_wake_up(struct wakes *c, const struct latest *l, uint32_t row)
{
	bool is_own = l->call != WL_NONE && thread_of(c, l->call) == thread_of(c, row);
	uint32_t by = is_own ? l->other : l->call;
	struct wl_ending own = ending_of(c, row), others;

	if (by == WL_NONE || call_end(c, by) < gap_begin(c, row))
		return;
	others = ending_of(c, by);
	/* A strict comparison, so no two calls can wake each other. */
	if (!wl_ends_before(&others, &own))
		return;
	c->wake[row] = by;
	c->m->to->counts.wake_ups++;
}

/* Sweep calls by start; when one starts, those that have ended are removed from the heap. */
static void sweep_process(struct wakes *c, const uint32_t *call, size_t n, struct wl_vec *heap)
{
	struct latest latest = { WL_NONE, WL_NONE };
	size_t n_put = 0;

	heap->n = 0;
	for (size_t i = 0; i < n; i++) {
		wl_ns start = call_start(c, call[i]);

		for (; n_put < n && call_start(c, call[n_put]) <= start; n_put++) {
			struct wl_ending ending = ending_of(c, call[n_put]);

			if (is_outermost(c, call[n_put]))
				wl_endings_put(heap, &ending);
		}
		while (wl_endings_any(heap, start))
			note_end(c, &latest, wl_endings_take(heap).number);
		if (is_outermost(c, call[i]) && may_sleep(c, call[i]))
			find_wake_up(c, &latest, call[i]);
	}
}

/* The threads of a process that make calls, and how many more there are than fit. */
enum { FEW_THREADS = 8 };

struct callers {
	uint32_t thread[FEW_THREADS];
	size_t n;
};

static void note_caller(struct callers *of, uint32_t thread)
{
	if (of->n < FEW_THREADS)
		of->thread[of->n] = thread;
	of->n++;
}

/* Find the calling threads of each process, in the order of threads. */
static struct callers *find_callers(const struct wakes *c)
{
	const struct wl_trace *t = c->trace;
	struct callers *ret = WL_NEW(c->m->scratch, struct callers, t->n_processes);

	for (uint32_t i = 0; ret && i < t->n_threads; i++) {
		bool is_any = c->m->ranges->list[i].lo < c->m->ranges->list[i].hi;

		for (unsigned k = 0; k < WL_RANGE_CALLS; k++)
			is_any |= c->of->rows[k] && c->of->rows[k][i].lo < c->of->rows[k][i].hi;
		if (is_any)
			note_caller(&ret[t->threads[i].process], i);
	}
	return ret;
}

/* For plain calls: the outermost call of a thread that ended last by a given time; WL_NONE. */
static uint32_t last_ended(const struct wakes *c, uint32_t thread, wl_ns at)
{
	const struct wl_slice rows = c->of->rows[0][thread];
	size_t n = WL_UPTO(c->m->to->calls[0].start + rows.lo, rows.hi - rows.lo, at);
	uint32_t call;

	if (n == 0)
		return WL_NONE;
	call = c->outer[rows.lo + n - 1];
	return call_end(c, call) <= at ? call : c->before[call];
}

/* Few calls follow a sleep, so each of them looks up the last call of every other thread. */
static void ask_threads(struct wakes *c, const struct callers *of, uint32_t thread)
{
	const struct wl_slice rows = c->of->rows[0][thread];

	for (uint32_t row = (uint32_t)rows.lo; row < rows.hi; row++) {
		struct latest latest = { WL_NONE, WL_NONE };
		struct wl_ending best = { 0 };

		if (!is_outermost(c, row) || !may_sleep(c, row))
			continue;
		for (size_t i = 0; i < of->n; i++) {
			uint32_t call = of->thread[i] == thread
						? WL_NONE
						: last_ended(c, of->thread[i], call_start(c, row));
			struct wl_ending ending;

			if (call == WL_NONE)
				continue;
			ending = ending_of(c, call);
			if (latest.call == WL_NONE || wl_ends_before(&best, &ending)) {
				latest.call = call;
				best = ending;
			}
		}
		find_wake_up(c, &latest, row);
	}
}

/* A thread is woken by another thread of its process. */
static bool find_wake_ups(struct wakes *c)
{
	const struct callers *callers = find_callers(c);
	struct wl_vec heap;
	bool ok;

	wl_vec_init(&heap, sizeof(struct wl_ending), wl_arena_budget(c->m->arena));
	for (size_t i = 0; callers && i < c->trace->n_processes; i++) {
		const struct callers *of = &callers[i];

		if (of->n < 2)
			continue;
		for (size_t k = 0; c->of->is_plain && of->n <= FEW_THREADS && k < of->n; k++)
			ask_threads(c, of, of->thread[k]);
		if (!c->of->is_plain || of->n > FEW_THREADS)
			sweep_process(c, c->m->call + c->m->call_first[i],
				      c->m->call_first[i + 1] - c->m->call_first[i], &heap);
	}
	ok = callers && !heap.failed;
	wl_vec_release(&heap);
	return ok;
}

static bool list_os_calls(struct wakes *c)
{
	const struct wl_list_deal deal = { WL_F_OSRT, c->trace->n_threads, thread_of_os, c->trace };

	c->os_left = WL_NEW(c->m->scratch, struct wl_slice, c->trace->n_threads);
	if (!c->os_left || !wl_outer_lists_make(c->trace, &deal, c->m->scratch, &c->os))
		return false;
	for (size_t i = 0; i < c->trace->n_threads; i++)
		c->os_left[i] = c->os.list[i];
	return true;
}

bool wl_graph_wakes(struct wl_graph_calling *calling)
{
	struct wakes c = { .m = calling->m,
			   .trace = calling->trace,
			   .of = calling,
			   .outer = calling->outer,
			   .before = calling->before,
			   .wake = calling->wake };

	return list_os_calls(&c) && find_wake_ups(&c);
}
