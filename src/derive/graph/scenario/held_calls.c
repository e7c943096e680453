/* SPDX-License-Identifier: MIT */
/* held_calls.c - calls that seem to wait for a blocking call of another thread. */
#include "base/memory/sort.h"
#include "derive/graph/scenario/scenario_parts.h"

/* Calls held up by an operation, sorted by process, then end. */
struct wl_holders {
	const struct wl_graph *graph;
	uint32_t *at; /* activities */
	size_t n;
};

static bool ends_before(const void *ctx, uint32_t a, uint32_t b)
{
	const struct wl_graph *g = ctx;
	uint32_t p = wl_graph_process(g, a), q = wl_graph_process(g, b);

	return p != q ? p < q : wl_graph_end(g, a) < wl_graph_end(g, b);
}

static bool is_holder(const struct wl_whatif *w, uint32_t call)
{
	const struct wl_graph *g = w->plan->graph;
	uint32_t op = g->releaser[call], activity = wl_graph_call(g, call);

	return op != WL_NONE && w->plan->at[activity] != 0 &&
	       wl_graph_length(g, activity) >= WL_WAKE_NS &&
	       wl_graph_end(g, op) > wl_graph_start(g, activity);
}

static bool find_holders(struct wl_whatif *w, struct wl_holders *ret)
{
	const struct wl_graph *g = w->plan->graph;
	struct wl_arena scratch;
	uint32_t *tmp;
	size_t n = 0;

	for (uint32_t i = 0; i < g->n_calls; i++)
		n += is_holder(w, i);
	ret->graph = g;
	ret->at = WL_NEW(w->arena, uint32_t, n);
	wl_arena_init_child(&scratch, w->arena);
	tmp = WL_NEW(&scratch, uint32_t, n);
	for (uint32_t i = 0; ret->at && tmp && i < g->n_calls; i++) {
		if (is_holder(w, i))
			ret->at[ret->n++] = wl_graph_call(g, i);
	}
	if (ret->at && tmp)
		wl_sort_index(ret->at, ret->n, tmp, ends_before, g);
	wl_arena_release(&scratch);
	return ret->at && tmp;
}

bool wl_held_begin(struct wl_whatif *w)
{
	if (w->holders)
		return true;
	w->holders = WL_NEW(w->arena, struct wl_holders, 1);
	return w->holders && find_holders(w, w->holders);
}

struct sought {
	const struct wl_holders *holders;
	uint32_t process;
	wl_ns end;
};

static bool is_early(const void *ctx, size_t i)
{
	const struct sought *s = ctx;
	uint32_t call = s->holders->at[i], process = wl_graph_process(s->holders->graph, call);

	return process != s->process ? process < s->process
				     : wl_graph_end(s->holders->graph, call) < s->end;
}

wl_ns wl_held_time(const struct wl_whatif *w, uint32_t call, wl_ns spent)
{
	const struct wl_graph *g = w->plan->graph;
	const struct wl_holders *h = w->holders;
	const wl_ns end = wl_graph_end(g, call);
	const struct sought s = { h, wl_graph_process(g, call), end - WL_HELD_NS };
	wl_ns least = 0;

	if (wl_graph_length(g, call) < WL_WAKE_NS)
		return 0;
	for (size_t i = wl_lower_bound(h->n, is_early, &s);
	     i < h->n && wl_graph_process(g, h->at[i]) == s.process &&
	     wl_graph_end(g, h->at[i]) <= end;
	     i++) {
		uint32_t by = h->at[i];
		size_t held = w->plan->at[call], holds = w->plan->at[by];
		wl_ns sooner = w->shifts.at[2 * held] - w->shifts.at[2 * holds + 1];

		if (wl_graph_call_thread(g, by - g->n_ops) ==
			    wl_graph_call_thread(g, call - g->n_ops) ||
		    wl_graph_start(g, by) > wl_graph_start(g, call))
			continue;
		least = sooner > least ? sooner : least;
	}
	return least < spent ? least : spent;
}
