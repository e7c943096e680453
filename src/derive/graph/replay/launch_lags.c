/* SPDX-License-Identifier: MIT */
#include "derive/graph/replay/launch_lags.h"

wl_ns wl_launch_lag_change(const struct wl_replay_plan *plan, const wl_ns *length,
			   uint32_t position)
{
	const struct wl_graph *g = plan->graph;
	uint32_t op = plan->activity[position], launch, call;
	wl_ns slack, lag, sooner;

	if (!(plan->flags[position] & WL_PLAN_LAUNCHED))
		return 0;
	launch = wl_graph_launch(g, op);
	call = wl_graph_call(g, g->outer[launch]);
	if (-length[plan->at[call]] <= WL_UNEXPLAINED_NS ||
	    wl_graph_start(g, op) < wl_graph_end(g, call))
		return 0;
	/* The launch is the last of the candidates. */
	slack = wl_replay_plan_slack(plan, plan->first[position + 1] - 1);
	sooner = -length[plan->at[call]] - slack;
	lag = wl_graph_start(g, op) - wl_graph_call_start(g, launch) - plan->latency[position] -
	      slack;
	if (sooner <= 0 || lag <= WL_UNEXPLAINED_NS)
		return 0;
	return lag < sooner ? -lag : -sooner;
}
