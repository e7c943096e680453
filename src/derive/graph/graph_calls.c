/* SPDX-License-Identifier: MIT */
/* graph_calls.c - the outermost calls of each thread, and which call woke a thread. */
#include <string.h>

#include "base/sort.h"
#include "derive/graph/endings.h"
#include "derive/graph/graph_parts.h"
#include "derive/rows/outermost.h"
#include "derive/rows/slices.h"

const enum wl_family_id wl_call_families[WL_N_CALL_FAMILIES] = {
	WL_F_API, WL_F_MPI_COLLS, WL_F_MPI_OTHERS, WL_F_MPI_P2P, WL_F_MPI_WAITS,
};

struct calls {
	struct wl_graph_making *m;
	const struct wl_trace *trace;
	uint32_t *outer, *before, *wake;
	const struct wl_slice *rows[WL_N_CALL_FAMILIES]; /* by thread; NULL without any */
	struct wl_outer_lists os;                        /* by thread */
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

/* The outermost call of a thread that was taken last. */
struct last {
	uint32_t call; /* WL_NONE: none yet */
	wl_ns end;
};

/* In nesting order a call is outermost if it ends after all before it. */
static void take_call(struct calls *c, uint32_t call, struct last *last)
{
	wl_ns start = call_start(c, call), end = call_end(c, call);

	c->before[call] = c->wake[call] = WL_NONE;
	if (last->call != WL_NONE && end <= last->end && start < last->end) {
		c->outer[call] = last->call;
		return;
	}
	/* Two calls without length at one time follow each other. */
	c->outer[call] = call;
	if (last->call != WL_NONE && last->end <= start)
		c->before[call] = last->call;
	else if (last->call != WL_NONE)
		c->m->to->counts.violations++;
	*last = (struct last){ call, end };
}

/* Rows with one start, by end: in nesting order the longest come first. */
static void take_together(struct calls *c, struct wl_slice rows, struct last *last)
{
	for (size_t hi = rows.hi, lo; hi > rows.lo; hi = lo) {
		wl_ns end = call_end(c, (uint32_t)hi - 1);

		for (lo = hi - 1; lo > rows.lo && call_end(c, (uint32_t)lo - 1) == end;)
			lo--;
		for (size_t i = lo; i < hi; i++)
			take_call(c, (uint32_t)i, last);
	}
}

/* A thread that calls CUDA only: its rows come by start, then end. */
static void take_thread(struct calls *c, struct wl_slice rows)
{
	const wl_ns *start = c->m->to->calls[0].start;
	struct last last = { WL_NONE, 0 };

	for (size_t lo = rows.lo, hi; lo < rows.hi; lo = hi) {
		for (hi = lo + 1; hi < rows.hi && start[hi] == start[lo];)
			hi++;
		if (hi == lo + 1)
			take_call(c, (uint32_t)lo, &last);
		else
			take_together(c, (struct wl_slice){ lo, hi }, &last);
	}
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

/* The families of a thread side by side. */
static bool merge_families(struct calls *c)
{
	struct dealt of[WL_N_CALL_FAMILIES];

	for (unsigned i = 0; i < WL_N_CALL_FAMILIES; i++) {
		const struct wl_list_deal deal = { wl_call_families[i], c->trace->n_threads,
						   thread_of_call, &of[i] };

		of[i].rows = &c->m->to->calls[i];
		if (!wl_outer_lists_make(c->trace, &deal, c->m->scratch, &of[i].lists))
			return false;
	}
	for (size_t i = 0; i < c->trace->n_threads; i++) {
		struct wl_slice left[WL_N_CALL_FAMILIES];
		struct last last = { WL_NONE, 0 };
		uint32_t call;

		for (unsigned k = 0; k < WL_N_CALL_FAMILIES; k++)
			left[k] = of[k].lists.list[i];
		while ((call = next_call(c, of, left)) != WL_NONE)
			take_call(c, call, &last);
	}
	return true;
}

/* Clocks that were mapped can let two rows start together that did not. */
static bool is_by_end(const struct calls *c)
{
	const wl_ns *start = c->m->to->calls[0].start;
	size_t n = c->m->to->calls[0].n, i = 1;

	while (i < n && (start[i] != start[i - 1] ||
			 call_end(c, (uint32_t)i) >= call_end(c, (uint32_t)i - 1)))
		i++;
	return i >= n;
}

static bool find_outermost(struct calls *c)
{
	if (c->m->to->n_calls > c->m->to->first_call[1] || !is_by_end(c))
		return merge_families(c);
	for (size_t i = 0; c->rows[0] && i < c->trace->n_threads; i++)
		take_thread(c, c->rows[0][i]);
	return true;
}

static bool is_outermost(const struct calls *c, uint32_t row)
{
	return c->outer[row] == row;
}

static bool start_less(const void *ctx, uint32_t a, uint32_t b)
{
	wl_ns sa = call_start(ctx, a), sb = call_start(ctx, b);

	return sa != sb ? sa < sb : a < b;
}

static struct wl_ending ending_of(const struct calls *c, uint32_t call)
{
	return (struct wl_ending){ call_end(c, call), call_start(c, call), call, 0 };
}

static bool slice_families(struct calls *c)
{
	for (unsigned k = 0; k < WL_N_CALL_FAMILIES; k++) {
		if (c->m->to->calls[k].n == 0)
			continue;
		c->rows[k] = wl_slices_find(c->trace, wl_call_families[k], c->m->scratch);
		if (!c->rows[k])
			return false;
	}
	return true;
}

/* By process, and in it thread by thread and family by family; first as in a counting sort. */
static void list_calls(const struct calls *c, size_t *first, uint32_t *call)
{
	const struct wl_slice *const *rows = c->rows;
	const struct wl_trace *t = c->trace;

	for (size_t i = 0; i < t->n_threads; i++) {
		for (unsigned k = 0; k < WL_N_CALL_FAMILIES; k++)
			first[t->threads[i].process + 2] +=
				rows[k] ? rows[k][i].hi - rows[k][i].lo : 0;
	}
	for (size_t i = 0; i < t->n_processes; i++)
		first[i + 2] += first[i + 1];
	for (size_t i = 0; i < t->n_threads; i++) {
		size_t *at = &first[t->threads[i].process + 1];

		for (unsigned k = 0; k < WL_N_CALL_FAMILIES; k++) {
			const struct wl_slice of = rows[k] ? rows[k][i] : (struct wl_slice){ 0, 0 };

			for (size_t row = of.lo; row < of.hi; row++)
				call[(*at)++] = c->m->to->first_call[k] + (uint32_t)row;
		}
	}
}

/* How many CUDA calls of one thread the list begins with: their numbers follow each other. */
static size_t run_of(const struct calls *c, const uint32_t *call, size_t n)
{
	const struct wl_slice *rows = c->rows[0];
	size_t n_run;

	if (n == 0 || call[0] >= c->m->to->first_call[1])
		return 0;
	n_run = rows[thread_of(c, call[0])].hi - call[0];
	return n_run < n ? n_run : n;
}

/* Most processes have one or two threads that call CUDA: two runs in order. */
static bool merge_runs(const struct calls *c, uint32_t *call, size_t n, uint32_t *tmp)
{
	const wl_ns *start = c->m->to->calls[0].start;
	size_t n_one = run_of(c, call, n), a = 0, b = n_one, k = 0;

	if (n_one == n)
		return true;
	if (n_one == 0 || n_one + run_of(c, call + n_one, n - n_one) < n)
		return false;
	/* Those of the first run have the smaller numbers. */
	while (a < n_one && b < n)
		tmp[k++] = start[call[a]] <= start[call[b]] ? call[a++] : call[b++];
	memmove(call + k, call + a, (n_one - a) * sizeof(*call));
	memcpy(call, tmp, k * sizeof(*call));
	return true;
}

/* The calls of a family and thread are in order, and most processes have one of each. */
static bool order_calls(struct calls *c)
{
	size_t n_processes = c->trace->n_processes;
	uint32_t *call = WL_NEW(c->m->scratch, uint32_t, c->m->to->n_calls);
	uint32_t *tmp = WL_NEW(c->m->scratch, uint32_t, c->m->to->n_calls);
	size_t *first = WL_NEW(c->m->scratch, size_t, n_processes + 2);

	if (!call || !tmp || !first)
		return false;
	list_calls(c, first, call);
	for (size_t i = 0; i < n_processes; i++) {
		size_t n = first[i + 1] - first[i];

		if (!merge_runs(c, call + first[i], n, tmp))
			wl_sort_index(call + first[i], n, tmp, start_less, c);
	}
	c->m->call = call;
	c->m->call_first = first;
	return true;
}

/* Where the host gap before a call begins: of a thread's first call, before all others. */
static wl_ns gap_begin(const struct calls *c, uint32_t row)
{
	return c->before[row] == WL_NONE ? -WL_TIME_MAX : call_end(c, c->before[row]);
}

/* Whether the thread may have slept between the call before and this one. Asked by start. */
static bool may_sleep(struct calls *c, uint32_t row)
{
	uint32_t thread = thread_of(c, row);
	wl_ns from = gap_begin(c, row), to = call_start(c, row);
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
	struct wl_ending own = ending_of(c, row), others;

	if (by == WL_NONE || call_end(c, by) < gap_begin(c, row))
		return;
	others = ending_of(c, by);
	/* Strict, so that no two calls can wake each other. */
	if (!wl_ends_before(&others, &own))
		return;
	c->wake[row] = by;
	c->m->to->counts.wake_ups++;
}

/* Calls by start; when one starts, those that have ended are taken from the heap. */
static void sweep_process(struct calls *c, const uint32_t *call, size_t n, struct wl_vec *heap)
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

/* A thread is woken by another one of its process. */
static bool has_threads(const struct calls *c, const uint32_t *call, size_t n)
{
	size_t i = 1;

	while (i < n && thread_of(c, call[i]) == thread_of(c, call[0]))
		i++;
	return i < n;
}

static bool find_wake_ups(struct calls *c)
{
	struct wl_vec heap;
	bool ok;

	wl_vec_init(&heap, sizeof(struct wl_ending), wl_arena_budget(c->m->arena));
	for (size_t i = 0; i < c->trace->n_processes; i++) {
		const uint32_t *call = c->m->call + c->m->call_first[i];
		size_t n = c->m->call_first[i + 1] - c->m->call_first[i];

		if (has_threads(c, call, n))
			sweep_process(c, call, n, &heap);
	}
	ok = !heap.failed;
	wl_vec_release(&heap);
	return ok;
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
	return slice_families(&c) && find_outermost(&c) && order_calls(&c) && list_os_calls(&c) &&
	       find_wake_ups(&c);
}
