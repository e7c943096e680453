/* SPDX-License-Identifier: MIT */
#include "derive/graph/replay/early_calls.h"

void wl_hold_early(const struct wl_replay_plan *plan, const uint32_t *early, size_t n,
		   struct wl_changes *c)
{
	const struct wl_graph *g = plan->graph;

	for (size_t i = 0; i < n; i++) {
		uint32_t p = early[i], call = plan->activity[p];
		uint32_t op = g->releaser[call - g->n_ops];
		wl_ns least = c->begin - wl_graph_end(g, call);

		if (c->gap)
			c->gap[p] = 0;
		if (!c->length)
			continue;
		/* Without its wait, a call ends earlier by that time. */
		if (op != WL_NONE && c->lone && c->lone[p])
			least += wl_graph_end(g, op) - wl_graph_start(g, call);
		else if (least > 0)
			least = c->length[p] = 0;
		c->length[p] = c->length[p] > least ? c->length[p] : least;
	}
}
