/* SPDX-License-Identifier: MIT */
/* replay_window.c - the part of a plan that a window replays. */
#include "base/memory/bound.h"
#include "base/memory/sort.h"
#include "derive/graph/replay/replay.h"
#include "derive/rows/slices.h"

struct bound {
	const struct wl_graph *g;
	const uint32_t *order;
	wl_ns time;
};

static bool starts_before(const void *ctx, size_t i)
{
	const struct bound *b = ctx;

	return wl_graph_start(b->g, b->order[i]) < b->time;
}

/* The activities of a process that start in an interval: a slice of the graph's order. */
static struct wl_slice slice_of(const struct wl_graph *g, size_t process, struct wl_interval in)
{
	size_t lo = g->order_first[process], n = g->order_first[process + 1] - lo;
	const struct bound begin = { g, g->order + lo, in.begin },
			   end = { g, g->order + lo, in.end };
	struct wl_slice ret;

	ret.lo = lo + wl_lower_bound(n, starts_before, &begin);
	ret.hi = lo + wl_lower_bound(n, starts_before, &end);
	ret.hi = ret.hi < ret.lo ? ret.lo : ret.hi;
	return ret;
}

static size_t count(const struct wl_graph *g, const struct wl_interval *by_process)
{
	size_t n = 0;

	for (size_t i = 0; i < g->trace->n_processes; i++) {
		struct wl_slice slice = slice_of(g, i, by_process[i]);

		n += slice.hi - slice.lo;
	}
	return n;
}

static bool is_below(const void *ctx, size_t i)
{
	const struct bound *b = ctx;

	return (wl_ns)b->order[i] < b->time;
}

static bool has(const struct wl_window_plan *w, uint32_t position)
{
	const struct bound b = { NULL, w->at, position };
	size_t at = wl_lower_bound(w->n, is_below, &b);

	return at < w->n && w->at[at] == position;
}

static bool list_late(const struct wl_replay_plan *plan, struct wl_arena *arena,
		      struct wl_window_plan *ret)
{
	size_t n = 0, at;
	uint32_t *late;

	for (size_t i = 0; i < ret->n; i++)
		n += (plan->flags[ret->at[i]] & WL_PLAN_LATE) != 0;
	late = WL_NEW(arena, uint32_t, n);
	ret->late = late;
	if (!late)
		return false;
	at = ret->n ? WL_UPTO_BY(wl_late_end_of, before, plan->late, plan->n_late, ret->at[0])
		    : plan->n_late;
	for (; at < plan->n_late && ret->n_late < n; at++) {
		if (has(ret, plan->late[at].at))
			late[ret->n_late++] = (uint32_t)at;
	}
	return true;
}

bool wl_window_plan_of(const struct wl_replay_plan *plan, const uint32_t *activity, size_t n,
		       struct wl_arena *arena, struct wl_window_plan *ret)
{
	uint32_t *at = WL_NEW(arena, uint32_t, n);
	struct wl_arena scratch;
	int64_t *sorted;

	*ret = (struct wl_window_plan){ .at = at };
	wl_arena_init_child(&scratch, arena);
	sorted = WL_NEW(&scratch, int64_t, n);
	for (size_t i = 0; sorted && i < n; i++)
		sorted[i] = plan->at[activity[i]];
	if (sorted)
		wl_sort_i64(sorted, n);
	for (size_t i = 0; at && sorted && i < n; i++) {
		if (i == 0 || sorted[i] != sorted[i - 1])
			at[ret->n++] = (uint32_t)sorted[i];
	}
	wl_arena_release(&scratch);
	return at && sorted && list_late(plan, arena, ret);
}

bool wl_window_plan_make(const struct wl_replay_plan *plan, const struct wl_interval *by_process,
			 struct wl_arena *arena, struct wl_window_plan *ret)
{
	const struct wl_graph *g = plan->graph;
	size_t n = count(g, by_process), k = 0;
	struct wl_arena scratch;
	uint32_t *activity;
	bool ok;

	wl_arena_init_child(&scratch, arena);
	activity = WL_NEW(&scratch, uint32_t, n);
	for (size_t i = 0; activity && i < g->trace->n_processes; i++) {
		struct wl_slice slice = slice_of(g, i, by_process[i]);

		for (size_t m = slice.lo; m < slice.hi; m++)
			activity[k++] = g->order[m];
	}
	ok = activity && wl_window_plan_of(plan, activity, n, arena, ret);
	wl_arena_release(&scratch);
	return ok;
}
