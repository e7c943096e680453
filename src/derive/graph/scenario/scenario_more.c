/* SPDX-License-Identifier: MIT */
/* scenario_more.c - scenarios of findings worth trying besides the standard ones. */
#include <stdio.h>

#include "derive/calls/host_functions.h"
#include "derive/derived.h"
#include "derive/graph/scenario/scenario.h"

/* Find the CUDA call with the largest total time of waits for operations; WL_NONE if there is
 * none. */
static bool longest_waits(const struct wl_whatif *w, struct wl_arena *scratch, uint32_t *ret)
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
	*ret = best;
	return sum != NULL;
}

/* "no-sync=cudaStreamSynchronize"; "" if there are no such calls; NULL when memory is exhausted. */
static const char *no_sync(const struct wl_whatif *w)
{
	struct wl_arena scratch;
	char text[256];
	uint32_t name;
	bool ok;

	wl_arena_init_child(&scratch, w->arena);
	ok = longest_waits(w, &scratch, &name);
	wl_arena_release(&scratch);
	if (!ok || name == WL_NONE)
		return ok ? "" : NULL;
	(void)snprintf(text, sizeof(text), "no-sync=%s", wl_str(w->plan->graph->trace, name));
	return wl_arena_strdup(w->arena, text);
}

static const char *mpi_free(const struct wl_whatif *w)
{
	return w->given->mpi_calls->any ? "class=mpi:0" : "";
}

bool wl_more_asks(const struct wl_whatif *w, struct wl_asked ret[WL_MORE_ASKS], size_t *ret_n)
{
	const char *texts[WL_MORE_ASKS] = { "layout-change",
					    "tiny-reads",
					    "blocking-copy",
					    "alloc-in-loop",
					    "module-load-in-loop",
					    "tiny-kernels",
					    w->given->host_functions->n ? "host-callback" : "",
					    "host-starved",
					    no_sync(w),
					    mpi_free(w) };
	struct wl_err err;
	size_t n = 0;

	for (size_t i = 0; i < WL_MORE_ASKS; i++) {
		int r = WL_OK;

		if (texts[i] && !*texts[i])
			continue;
		r = texts[i] ? wl_ask_parse(texts[i], w->arena, &ret[n], &err) : WL_E_NOMEM;
		if (r == WL_E_NOMEM)
			return false;
		n += r == WL_OK;
	}
	*ret_n = n;
	return true;
}
