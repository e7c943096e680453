/* SPDX-License-Identifier: MIT */
/* scenario_more.c - scenarios of findings that are worth a try beside the standard ones. */
#include <stdio.h>

#include "derive/graph/scenario.h"

/* The CUDA call whose waits for operations take most time in all; WL_NONE without one. */
static uint32_t longest_waits(const struct wl_whatif *w, struct wl_arena *scratch)
{
	const struct wl_graph *g = w->plan->graph;
	wl_ns *sum = WL_NEW(scratch, wl_ns, g->trace->strings.n + 1);
	uint32_t best = WL_NONE;

	for (uint32_t i = 0; sum && g->n_calls && i < g->first_call[1]; i++) {
		uint32_t name = wl_api_name(g->trace)[i], op = g->releaser[i];
		wl_ns waits = op == WL_NONE ? 0
					    : wl_graph_end(g, op) -
						      wl_graph_start(g, wl_graph_call(g, i));

		if (waits <= 0 || name == WL_NONE)
			continue;
		sum[name] += waits;
		best = best == WL_NONE || sum[name] > sum[best] ? name : best;
	}
	return best;
}

/* "no-sync=cudaStreamSynchronize"; NULL without such calls or memory. */
static const char *no_sync(const struct wl_whatif *w)
{
	struct wl_arena scratch;
	char text[256];
	uint32_t name;

	wl_arena_init_child(&scratch, w->arena);
	name = longest_waits(w, &scratch);
	wl_arena_release(&scratch);
	if (name == WL_NONE)
		return NULL;
	(void)snprintf(text, sizeof(text), "no-sync=%s", wl_str(w->plan->graph->trace, name));
	return wl_arena_strdup(w->arena, text);
}

size_t wl_more_asks(const struct wl_whatif *w, struct wl_asked ret[WL_MORE_ASKS])
{
	static const char *const codes[] = { "layout-change", "tiny-reads", "blocking-copy",
					     "alloc-in-loop", "module-load-in-loop" };
	const char *sync = no_sync(w);
	struct wl_err err;
	size_t n = 0;

	for (size_t i = 0; i < WL_COUNT(codes); i++)
		n += wl_ask_parse(codes[i], w->arena, &ret[n], &err) == WL_OK;
	n += sync && wl_ask_parse(sync, w->arena, &ret[n], &err) == WL_OK;
	return n;
}
