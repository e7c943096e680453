/* SPDX-License-Identifier: MIT */
#include "derive/nvtx/nccl.h"

#include "base/memory/sort.h"
#include "derive/derived.h"
#include "derive/nvtx/range_names.h"
#include "known/exports/codes.h"

static bool is_nccl_row(const struct wl_trace *t, const struct wl_range_names *names, size_t row)
{
	unsigned kind = wl_nvtx_kind(t)[row];

	return (kind == WL_NVTX_PUSH_POP || kind == WL_NVTX_PUSH_POP_IMPORTED) &&
	       wl_range_name_of(names, row)->is_nccl;
}

static wl_ns end_of(const struct wl_trace *t, uint32_t row)
{
	return wl_nvtx_start(t)[row] + wl_dur(&t->family[WL_F_NVTX], wl_nvtx_dur(t), row);
}

static bool start_together(const struct wl_trace *t, uint32_t a, uint32_t b)
{
	return wl_nvtx_thread(t)[a] == wl_nvtx_thread(t)[b] &&
	       wl_nvtx_start(t)[a] == wl_nvtx_start(t)[b];
}

static bool are_equal(const struct wl_trace *t, uint32_t a, uint32_t b)
{
	return start_together(t, a, b) && end_of(t, a) == end_of(t, b);
}

static void reverse(uint32_t *row, size_t n)
{
	for (size_t i = 0; i < n / 2; i++) {
		uint32_t other = row[n - 1 - i];

		row[n - 1 - i] = row[i];
		row[i] = other;
	}
}

typedef bool alike_fn(const struct wl_trace *t, uint32_t a, uint32_t b);

/* Reverse each run of rows that are alike. */
static void reverse_runs(const struct wl_trace *t, uint32_t *row, size_t n, alike_fn *alike)
{
	for (size_t lo = 0, hi; lo < n; lo = hi) {
		for (hi = lo + 1; hi < n && alike(t, row[lo], row[hi]);)
			hi++;
		reverse(row + lo, hi - lo);
	}
}

/* Rows of a thread come by start, shorter first. The order here is start, longer first, then
 * row. */
static void order_rows(const struct wl_trace *t, uint32_t *row, size_t n)
{
	reverse_runs(t, row, n, start_together);
	reverse_runs(t, row, n, are_equal);
}

static bool has_columns(const struct wl_trace *t)
{
	return wl_nvtx_start(t) && wl_nvtx_dur(t) && wl_nvtx_thread(t) && wl_nvtx_kind(t);
}

/* Rows of the ranges; NULL if out of memory. */
static uint32_t *list_rows(const struct wl_trace *t, const struct wl_range_names *names,
			   struct wl_arena *arena, size_t *ret_n)
{
	size_t n = 0, n_rows = has_columns(t) ? t->family[WL_F_NVTX].n : 0;
	uint32_t *row;

	for (size_t i = 0; i < n_rows; i++)
		n += is_nccl_row(t, names, i);
	row = WL_NEW(arena, uint32_t, n);
	*ret_n = n;
	n = 0;
	for (size_t i = 0; row && *ret_n && i < n_rows; i++) {
		if (is_nccl_row(t, names, i))
			row[n++] = (uint32_t)i;
	}
	return row;
}

bool wl_nccl_ranges_find(const struct wl_derived *given, struct wl_arena *arena,
			 struct wl_nccl_ranges *ret)
{
	const struct wl_trace *t = given->trace;
	size_t n;
	uint32_t *row = list_rows(t, given->range_names, arena, &n);
	uint32_t *thread = WL_NEW(arena, uint32_t, n), *name = WL_NEW(arena, uint32_t, n);
	wl_ns *start = WL_NEW(arena, wl_ns, n), *end = WL_NEW(arena, wl_ns, n);
	wl_ns *reach = WL_NEW(arena, wl_ns, n);

	if (!row || !thread || !name || !start || !end || !reach)
		return false;
	order_rows(t, row, n);
	for (size_t i = 0; i < n; i++) {
		thread[i] = wl_nvtx_thread(t)[row[i]];
		name[i] = given->range_names->of[row[i]];
		start[i] = wl_nvtx_start(t)[row[i]];
		reach[i] = end[i] = end_of(t, row[i]);
		/*
		 * The furthest end so far on the thread: a single search then tells whether a range
		 * encloses an interval.
		 */
		if (i > 0 && thread[i - 1] == thread[i] && reach[i - 1] > end[i])
			reach[i] = reach[i - 1];
	}
	*ret = (struct wl_nccl_ranges){ n, thread, name, start, end, reach };
	return true;
}

struct wanted {
	const struct wl_trace *trace;
	const struct wl_nccl_ranges *ranges;
	uint64_t thread;
	wl_ns start;
};

/*
 * Ranges of earlier threads, and those of this one that start no later. Families are ordered by
 * the global id of a thread, not by its index.
 */
static bool range_upto(const void *ctx, size_t i)
{
	const struct wanted *w = ctx;
	uint64_t thread = w->trace->threads[w->ranges->thread[i]].global;

	return thread < w->thread || (thread == w->thread && w->ranges->start[i] <= w->start);
}

bool wl_nccl_contains(const struct wl_trace *trace, const struct wl_nccl_ranges *r, uint32_t thread,
		      wl_ns start, wl_ns end)
{
	const struct wanted w = { trace, r, trace->threads[thread].global, start };
	size_t n = wl_lower_bound(r->n, range_upto, &w);

	return n > 0 && r->thread[n - 1] == thread && r->reach[n - 1] >= end;
}
