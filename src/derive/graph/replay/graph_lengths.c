/* SPDX-License-Identifier: MIT */
/* graph_lengths.c - which part of an activity's time is its own. */
#include "derive/graph/replay/replay_plan.h"

wl_ns wl_graph_gap(const struct wl_graph *g, uint32_t call)
{
	uint32_t row = call - g->n_ops, by[2] = { g->call_before[row], g->wake[row] };
	wl_ns from = INT64_MIN;

	for (unsigned i = 0; i < 2; i++) {
		wl_ns end = by[i] == WL_NONE ? from : wl_graph_end(g, wl_graph_call(g, by[i]));

		from = end > from ? end : from;
	}
	return from == INT64_MIN ? 0 : wl_graph_start(g, call) - from;
}

static bool is_held(const struct wl_graph *g, uint32_t activity)
{
	uint32_t op = activity < g->n_ops ? WL_NONE : g->releaser[activity - g->n_ops];

	return op != WL_NONE && wl_graph_end(g, op) >= wl_graph_start(g, activity);
}

bool wl_graph_is_own_length(const struct wl_graph *g, uint32_t activity)
{
	return wl_graph_slot(g, activity) == WL_NONE && !is_held(g, activity) &&
	       wl_graph_room(g, activity) == WL_NONE;
}

/* The rest of a call that waited for room, limited to the usual length of a call. */
static wl_ns length_without_wait(const struct wl_graph *g, uint32_t call, uint32_t room)
{
	wl_ns back = wl_graph_end(g, call) - wl_graph_start(g, room);
	wl_ns usual = g->usual[wl_graph_process(g, call)];

	return back < usual ? back : usual;
}

wl_ns wl_graph_own_length(const struct wl_graph *g, uint32_t activity)
{
	uint32_t slot = wl_graph_slot(g, activity), room = wl_graph_room(g, activity);

	if (slot != WL_NONE)
		return wl_graph_end(g, activity) - wl_graph_last_arrival(g, slot);
	if (room != WL_NONE)
		return length_without_wait(g, activity, room);
	if (is_held(g, activity))
		return wl_graph_end(g, activity) -
		       wl_graph_end(g, g->releaser[activity - g->n_ops]);
	return wl_graph_length(g, activity);
}
