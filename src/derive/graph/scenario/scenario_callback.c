/* SPDX-License-Identifier: MIT */
/* scenario_callback.c - a scenario: streams do not wait for functions of the host. */
#include "derive/calls/host_functions.h"
#include "derive/derived.h"
#include "derive/graph/scenario/scenario_parts.h"

enum { MOST_STREAMS = 8 };

/*
 * When the last of what an operation waited for was done, and the streams that may have waited for
 * functions of the host since: its own, and those of what was done then. False: it waited for
 * nothing.
 */
static bool find_release(const struct wl_whatif *w, uint32_t p, wl_ns *ret_done,
			 uint32_t place[MOST_STREAMS], size_t *ret_n)
{
	const struct wl_replay_plan *plan = w->plan;
	const struct wl_graph *g = plan->graph;
	uint32_t end = plan->first[p + 1];
	bool found = false;

	place[0] = wl_graph_place(g, plan->activity[p]);
	*ret_n = 1;
	for (uint32_t i = plan->first[p]; i < end; i++) {
		bool is_launch = plan->flags[p] & WL_PLAN_LAUNCHED && i + 1 == end;
		uint32_t from;

		if (plan->slack[i] != 0 || plan->from[i] < 2)
			continue;
		from = plan->activity[plan->from[i] >> 1];
		*ret_done = (plan->from[i] & 1 ? wl_graph_end(g, from) : wl_graph_start(g, from)) +
			    (is_launch ? (wl_ns)plan->latency[p] : 0);
		found = true;
		if (from < g->n_ops && *ret_n < MOST_STREAMS)
			place[(*ret_n)++] = wl_graph_place(g, from);
	}
	return found;
}

/* What an operation waits for functions of the host is a part of its lag. */
static void drop_from_lag(struct wl_whatif *w, uint32_t p)
{
	uint32_t place[MOST_STREAMS];
	wl_ns done, cut;
	size_t n;

	if (!find_release(w, p, &done, place, &n))
		return;
	cut = wl_host_functions_time(w->given->host_functions, place, n, done,
				     wl_graph_start(w->plan->graph, w->plan->activity[p]));
	w->n_changed += cut > 0;
	w->changes.gap[p] -= cut;
}

/* And what a call does, of the time since the operation that it waits for ended. */
static void drop_from_call(struct wl_whatif *w, uint32_t p)
{
	const struct wl_graph *g = w->plan->graph;
	uint32_t call = w->plan->activity[p], op = g->releaser[call - g->n_ops], place;
	wl_ns end = wl_graph_end(g, call), own = wl_graph_own_length(g, call), cut;

	if (op == WL_NONE)
		return;
	place = wl_graph_place(g, op);
	cut = wl_host_functions_time(w->given->host_functions, &place, 1, end - own, end);
	if (cut)
		wl_set_length(w, p, own - cut);
}

int wl_apply_host_callback(struct wl_whatif *w, const struct wl_asked *ask, struct wl_err *reterr)
{
	(void)ask;
	if (!wl_change_lengths(w) || !wl_change_gaps(w))
		return wl_fail(reterr, WL_E_NOMEM, "not enough memory for the replay");
	for (uint32_t i = 0; i < w->window.n; i++) {
		uint32_t p = wl_window_at(&w->window, i);

		if (!(w->plan->flags[p] & WL_PLAN_CALL))
			drop_from_lag(w, p);
		else if (w->does[p] != WL_DOES_MPI)
			drop_from_call(w, p);
	}
	return WL_OK;
}
