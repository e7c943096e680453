/* SPDX-License-Identifier: MIT */
/* graphs.c - CUDA graphs: how often each was launched, and how much of it was recorded. */
#include "analysis/analysis.h"
#include "base/memory/sort.h"
#include "derive/derived.h"
#include "derive/use/graph_use.h"

WL_DECLARE_ANALYSIS(graphs);

enum { PID, DEVICE, GRAPH, LAUNCHES, REPLAYS, NODES, BUSY, COVERAGE };

static const struct wl_col cols[] = {
	[PID] = { "pid", "PID", WL_T_COUNT, WL_KEY, "Process that launched the graph." },
	[DEVICE] = { "device", "GPU", WL_T_COUNT, WL_KEY,
		     "Device, numbered as in info; empty for launches without a recorded replay." },
	[GRAPH] = { "graph", "Graph", WL_T_COUNT, WL_KEY,
		    "CUDA's number of the graph; empty if it was not recorded." },
	[LAUNCHES] = { "launches", "Launches", WL_T_COUNT, WL_PLAIN,
		       "Calls that launched operations with a part in the window." },
	[REPLAYS] = { "replays", "Replays", WL_T_COUNT, WL_PLAIN,
		      "Replays with a part in the window, whole or as nodes." },
	[NODES] = { "nodes_per_replay", "Nodes each", WL_T_REAL, WL_PLAIN,
		    "Operations recorded per replay; empty for replays recorded whole." },
	[BUSY] = { "busy", "Busy", WL_T_NS, WL_SUM,
		   "Time in which an operation of the graph runs." },
	[COVERAGE] = { "coverage", "Coverage", WL_T_RATIO, WL_PLAIN, "Replays over launches." },
};

static const enum wl_column_id needs_any[] = { WL_OP_STARTS, WL_API_START, WL_N_COLUMNS };

static const struct wl_example examples[] = {
	{ "warplens graphs run.sqlite", "Which graphs ran, and how often." },
	{ NULL, NULL },
};

/* Busiest first; graphs that were not recorded last. */
static bool rank_less(const void *ctx, uint32_t a, uint32_t b)
{
	const struct wl_graph_use *x = (const struct wl_graph_use *)ctx + a;
	const struct wl_graph_use *y = (const struct wl_graph_use *)ctx + b;

	if ((x->device == WL_NONE) != (y->device == WL_NONE))
		return y->device == WL_NONE;
	if (x->busy != y->busy)
		return x->busy > y->busy;
	if (x->process != y->process)
		return x->process < y->process;
	if (x->device != y->device)
		return x->device < y->device;
	return x->graph < y->graph;
}

static void put_row(const struct wl_trace *t, const struct wl_graph_use *u, struct wl_table *out)
{
	wl_table_row(out);
	wl_put_i64(out, PID, t->processes[u->process].pid);
	if (u->device != WL_NONE)
		wl_put_i64(out, DEVICE, u->device);
	if (u->graph != WL_NO_U64)
		wl_put_i64(out, GRAPH, (int64_t)u->graph);
	wl_put_i64(out, LAUNCHES, u->launches);
	wl_put_i64(out, REPLAYS, u->replays);
	if (u->nodes)
		wl_put_ratio(out, NODES, u->nodes, u->replays);
	wl_put_i64(out, BUSY, u->busy);
	wl_put_ratio(out, COVERAGE, u->replays, u->launches);
}

static void note_mode(const struct wl_graph_uses *all, struct wl_table *out)
{
	if (all->any_node && all->any_whole)
		wl_table_note(out, "mode mixed: some replays were recorded whole, some node by "
				   "node");
	else if (all->any_node)
		wl_table_note(out, "mode node: replays were recorded node by node");
	else if (all->any_whole)
		wl_table_note(out, "mode graph: replays were recorded whole; record with "
				   "--cuda-graph-trace=node to see inside");
	else
		wl_table_note(out, "mode none: graphs were launched, but no replay was recorded");
}

static const char *lacks(const struct wl_run *r)
{
	/* Graphs that were launched but never recorded count as an answer, too. */
	return wl_has_graphs(r->derived, r->arena) ? NULL : "the trace has no CUDA graphs";
}

static int run(const struct wl_run *r, struct wl_table *out, struct wl_err *reterr)
{
	struct wl_graph_uses all;
	uint32_t *order = NULL;

	if (wl_graph_uses_find(r->derived, r->scope, r->arena, &all))
		order = WL_NEW(r->arena, uint32_t, 2 * all.n);
	if (!order)
		return wl_no_memory(&wl_analysis_graphs, reterr);
	wl_sort_all(order, all.n, rank_less, all.use);
	for (size_t i = 0; i < all.n; i++)
		put_row(r->trace, &all.use[order[i]], out);
	note_mode(&all, out);
	return WL_OK;
}

static const struct wl_form forms[] = { { WL_FORM("launch", "by"), .value = "graph" },
					{ .verb = NULL } };

const struct wl_analysis wl_analysis_graphs = {
	.name = "graphs",
	.topic = WL_TOPIC_TIME,
	.forms = forms,
	.help = "Show CUDA graphs: launches, replays and how they were recorded",
	.about = "Replays of CUDA graphs by process, device and graph. Replays are recorded whole, "
		 "or node by node; nodes of one replay share the correlation id of its launch. A "
		 "row without device counts the launches of a process without a recorded replay. "
		 "Rows are sorted by busy time, largest first.",
	.needs_any = needs_any,
	.from = WL_FROM(GRAPH_USE),
	.lacks = lacks,
	.cols = cols,
	.n_cols = WL_COUNT(cols),
	.examples = examples,
	.run = run,
};
