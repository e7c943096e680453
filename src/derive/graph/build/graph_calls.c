/* SPDX-License-Identifier: MIT */
/* graph_calls.c - the outermost calls of each thread, and the order of all calls. */
#include <string.h>

#include "base/memory/sort.h"
#include "derive/graph/build/graph_parts.h"
#include "derive/rows/scope.h"
#include "derive/rows/slices.h"

const enum wl_family_id wl_call_families[WL_N_CALL_FAMILIES] = {
	WL_F_API, WL_F_MPI_COLLS, WL_F_MPI_OTHERS, WL_F_MPI_P2P, WL_F_MPI_WAITS, WL_F_NVTX,
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

static wl_ns call_start(const struct wl_graph_calling *c, uint32_t call)
{
	return wl_graph_call_start(c->m->to, call);
}

static wl_ns call_end(const struct wl_graph_calling *c, uint32_t call)
{
	return wl_graph_end(c->m->to, wl_graph_call(c->m->to, call));
}

static uint32_t thread_of(const struct wl_graph_calling *c, uint32_t call)
{
	return wl_graph_call_thread(c->m->to, call);
}

/* The last outermost call of a thread so far. */
struct last {
	uint32_t call; /* WL_NONE: none yet */
	wl_ns end;
};

/* In nesting order, a call is outermost if it ends after all calls before it. */
static inline void take_call(struct wl_graph_calling *c, uint32_t call, struct wl_interval at,
			     struct last *last)
{
	c->before[call] = c->wake[call] = WL_NONE;
	if (last->call != WL_NONE && at.end <= last->end && at.begin < last->end) {
		c->outer[call] = last->call;
		return;
	}
	/* Two calls of zero length at the same time follow each other. */
	c->outer[call] = call;
	if (last->call != WL_NONE && last->end <= at.begin)
		c->before[call] = last->call;
	else if (last->call != WL_NONE)
		c->m->to->counts.violations++;
	*last = (struct last){ call, at.end };
}

static struct wl_interval extent_of(const struct wl_graph_calling *c, uint32_t call)
{
	return (struct wl_interval){ call_start(c, call), call_end(c, call) };
}

/* Rows with the same start, in order of end; nesting order needs the longest first. */
static void take_together(struct wl_graph_calling *c, struct wl_slice rows, struct last *last)
{
	for (size_t hi = rows.hi, lo; hi > rows.lo; hi = lo) {
		wl_ns end = call_end(c, (uint32_t)hi - 1);

		for (lo = hi - 1; lo > rows.lo && call_end(c, (uint32_t)lo - 1) == end;)
			lo--;
		for (size_t i = lo; i < hi; i++)
			take_call(c, (uint32_t)i, extent_of(c, (uint32_t)i), last);
	}
}

/* A thread that makes only CUDA calls: its rows are ordered by start, then end. */
static void take_thread(struct wl_graph_calling *c, struct wl_slice rows)
{
	const struct wl_thread_rows *api = &c->m->to->calls[0];
	const wl_ns *start = api->start;
	struct last last = { WL_NONE, 0 };

	for (size_t lo = rows.lo, hi; lo < rows.hi; lo = hi) {
		for (hi = lo + 1; hi < rows.hi && start[hi] == start[lo];)
			hi++;
		if (hi == lo + 1)
			take_call(c, (uint32_t)lo,
				  (struct wl_interval){ start[lo],
							start[lo] +
								wl_dur(api->family, api->dur, lo) },
				  &last);
		else
			take_together(c, (struct wl_slice){ lo, hi }, &last);
	}
}

/* The first remaining call of a thread in nesting order; WL_NONE for none. */
static uint32_t next_call(const struct wl_graph_calling *c, const struct dealt *of,
			  struct wl_slice *left)
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

/* Merge the families of each thread. */
static bool merge_families(struct wl_graph_calling *c)
{
	struct dealt of[WL_N_CALL_FAMILIES];

	for (unsigned i = 0; i < WL_N_CALL_FAMILIES; i++) {
		const struct wl_list_deal deal = { wl_call_families[i], c->trace->n_threads,
						   thread_of_call, &of[i] };

		of[i].rows = &c->m->to->calls[i];
		if (i == WL_RANGE_CALLS)
			of[i].lists = *c->m->ranges;
		else if (!wl_outer_lists_make(c->trace, &deal, c->m->scratch, &of[i].lists))
			return false;
	}
	for (size_t i = 0; i < c->trace->n_threads; i++) {
		struct wl_slice left[WL_N_CALL_FAMILIES];
		struct last last = { WL_NONE, 0 };
		uint32_t call;

		for (unsigned k = 0; k < WL_N_CALL_FAMILIES; k++)
			left[k] = of[k].lists.list[i];
		while ((call = next_call(c, of, left)) != WL_NONE)
			take_call(c, call, extent_of(c, call), &last);
	}
	return true;
}

/* Mapping of clocks can give two rows with different starts the same start. */
static bool is_by_end(const struct wl_graph_calling *c)
{
	const wl_ns *start = c->m->to->calls[0].start;
	size_t n = c->m->to->calls[0].n, i = 1;

	while (i < n && (start[i] != start[i - 1] ||
			 call_end(c, (uint32_t)i) >= call_end(c, (uint32_t)i - 1)))
		i++;
	return i >= n;
}

static bool find_outermost(struct wl_graph_calling *c)
{
	if (c->m->to->n_calls > c->m->to->first_call[1] || !is_by_end(c))
		return merge_families(c);
	for (size_t i = 0; c->rows[0] && i < c->trace->n_threads; i++)
		take_thread(c, c->rows[0][i]);
	c->is_plain = c->rows[0] && c->m->to->counts.violations == 0;
	return true;
}

static bool start_less(const void *ctx, uint32_t a, uint32_t b)
{
	wl_ns sa = call_start(ctx, a), sb = call_start(ctx, b);

	return sa != sb ? sa < sb : a < b;
}

static bool slice_families(struct wl_graph_calling *c)
{
	for (unsigned k = 0; k < WL_RANGE_CALLS; k++) {
		if (c->m->to->calls[k].n == 0)
			continue;
		c->rows[k] = wl_slices_find(c->trace, wl_call_families[k], c->m->scratch);
		if (!c->rows[k])
			return false;
	}
	return true;
}

/* List calls by process, then thread, then family, then ranges, as a counting sort does. */
static void list_calls(const struct wl_graph_calling *c, size_t *first, uint32_t *call)
{
	const struct wl_slice *const *rows = c->rows;
	const struct wl_trace *t = c->trace;

	for (size_t i = 0; i < t->n_threads; i++) {
		size_t *n = &first[t->threads[i].process + 2];

		for (unsigned k = 0; k < WL_RANGE_CALLS; k++)
			*n += rows[k] ? rows[k][i].hi - rows[k][i].lo : 0;
		*n += c->m->ranges->list[i].hi - c->m->ranges->list[i].lo;
	}
	for (size_t i = 0; i < t->n_processes; i++)
		first[i + 2] += first[i + 1];
	for (size_t i = 0; i < t->n_threads; i++) {
		size_t *at = &first[t->threads[i].process + 1];

		for (unsigned k = 0; k < WL_RANGE_CALLS; k++) {
			const struct wl_slice of = rows[k] ? rows[k][i] : (struct wl_slice){ 0, 0 };

			for (size_t row = of.lo; row < of.hi; row++)
				call[(*at)++] = c->m->to->first_call[k] + (uint32_t)row;
		}
		for (size_t k = c->m->ranges->list[i].lo; k < c->m->ranges->list[i].hi; k++)
			call[(*at)++] = c->m->to->first_call[WL_RANGE_CALLS] + c->m->ranges->row[k];
	}
}

/* Number of CUDA calls of one thread at the beginning of the list; their numbers are
 * consecutive. */
static size_t run_of(const struct wl_graph_calling *c, const uint32_t *call, size_t n)
{
	const struct wl_slice *rows = c->rows[0];
	size_t n_run;

	if (n == 0 || call[0] >= c->m->to->first_call[1])
		return 0;
	n_run = rows[thread_of(c, call[0])].hi - call[0];
	return n_run < n ? n_run : n;
}

/* Most processes have one or two threads that call CUDA, which gives two sorted runs. */
static bool merge_runs(const struct wl_graph_calling *c, uint32_t *call, size_t n, uint32_t *tmp)
{
	const wl_ns *start = c->m->to->calls[0].start;
	size_t n_one = run_of(c, call, n), a = 0, b = n_one, k = 0;

	if (n_one == n)
		return true;
	if (n_one == 0 || n_one + run_of(c, call + n_one, n - n_one) < n)
		return false;
	/* Calls of the first run have the smaller numbers. */
	while (a < n_one && b < n)
		tmp[k++] = start[call[a]] <= start[call[b]] ? call[a++] : call[b++];
	memmove(call + k, call + a, (n_one - a) * sizeof(*call));
	memcpy(call, tmp, k * sizeof(*call));
	return true;
}

/* The calls of a family and thread are in order, and most processes have one of each. */
static bool order_calls(struct wl_graph_calling *c)
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

bool wl_graph_outer_calls(struct wl_graph_making *m, struct wl_graph_calling *ret)
{
	size_t n = m->to->n_calls;

	*ret = (struct wl_graph_calling){ .m = m,
					  .trace = m->trace,
					  .outer = WL_NEW(m->arena, uint32_t, n),
					  .before = WL_NEW(m->arena, uint32_t, n),
					  .wake = WL_NEW(m->arena, uint32_t, n) };
	if (!ret->outer || !ret->before || !ret->wake)
		return false;
	for (size_t i = m->to->first_call[WL_RANGE_CALLS]; i < n; i++)
		ret->outer[i] = ret->before[i] = ret->wake[i] = WL_NONE;
	m->to->outer = ret->outer;
	m->to->call_before = ret->before;
	m->to->wake = ret->wake;
	return slice_families(ret) && find_outermost(ret);
}

bool wl_graph_calls(struct wl_graph_making *m)
{
	struct wl_graph_calling c;

	return wl_graph_outer_calls(m, &c) && order_calls(&c) && wl_graph_wakes(&c);
}
