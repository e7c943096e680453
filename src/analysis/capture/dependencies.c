/* SPDX-License-Identifier: MIT */
/* dependencies.c - what activities waited for: edges that rows prove, and edges that are
 * inferred. */
#include <inttypes.h>

#include "analysis/analysis.h"
#include "derive/derived.h"
#include "derive/graph/build/graph.h"

WL_DECLARE_ANALYSIS(dependencies);

enum { EDGE, BASIS, COUNT, MEANING };

static const struct wl_col cols[] = {
	[EDGE] = { "edge", "Edge", WL_T_STR, WL_KEY, "Kind of edge." },
	[BASIS] = { "basis", "Basis", WL_T_ENUM, WL_PLAIN,
		    "proven: rows of the trace or CUDA's rules say so; inferred: from times alone; "
		    "dropped: rows contradict it." },
	[COUNT] = { "count", "Count", WL_T_COUNT, WL_PLAIN, "How many there are." },
	[MEANING] = { "meaning", "Meaning", WL_T_STR, WL_PROSE, "What waits for what." },
};

/* Edges without a separate list. */
struct orders {
	size_t stream, launch, thread, members;
};

static struct orders count_orders(const struct wl_graph *g)
{
	struct orders n = { .stream = 0 };

	for (uint32_t i = 0; i < g->n_ops; i++) {
		n.stream += g->previous[i] != WL_NONE;
		n.launch += wl_graph_launch(g, i) != WL_NONE;
	}
	/* Launches after the start of their operation are dropped, and have a separate row. */
	n.launch -= g->counts.negative;
	for (uint32_t i = 0; i < g->n_calls; i++)
		n.thread += g->call_before[i] != WL_NONE;
	for (size_t i = 0; i < g->n_meetings; i++)
		n.members += g->meeting[i].n > 1 ? g->meeting[i].n : 0;
	return n;
}

/* Full launch queues: how many calls waited, and how many of those are expected to be wrong. */
struct rooms {
	size_t n;
	uint32_t least, most; /* depths */
	double wrong;
};

static struct rooms count_rooms(const struct wl_graph *g)
{
	struct rooms ret = { .least = UINT32_MAX };

	for (size_t i = 0; i < g->n_queues; i++) {
		const struct wl_launch_queue *q = &g->queue[i];

		ret.n += q->n_waits;
		ret.least = q->least < ret.least ? q->least : ret.least;
		ret.most = q->most > ret.most ? q->most : ret.most;
		ret.wrong += (double)q->n_waits * q->n_chance / q->n_long;
	}
	return ret;
}

enum { PROVEN, INFERRED, DROPPED };
static const char *const bases[] = { "proven", "inferred", "dropped" };

static int run(const struct wl_run *r, struct wl_table *out, struct wl_err *reterr)
{
	const struct wl_graph *g = r->derived->graph;
	const struct wl_graph_counts *c = &g->counts;
	const struct orders n = count_orders(g);
	const struct rooms rooms = count_rooms(g);
	const struct {
		const char *edge;
		unsigned char basis;
		size_t count;
		const char *meaning;
	} rows[] = {
		{ "stream", PROVEN, n.stream, "an operation follows the one before it" },
		{ "launch", PROVEN, n.launch, "an operation follows its launch call" },
		{ "event", PROVEN, c->edges[WL_EDGE_EVENT], "a stream waits for a recorded event" },
		{ "default stream", PROVEN, c->edges[WL_EDGE_DEFAULT],
		  "default and blocking streams take turns" },
		{ "collective", PROVEN, n.members, "a member leaves after the last has arrived" },
		{ "blocking call", PROVEN, c->binding + c->constraints,
		  "a call returns after what it waits for" },
		{ "thread", PROVEN, n.thread, "a call follows the one before it" },
		{ "held operation", INFERRED, c->edges[WL_EDGE_INFERRED],
		  "an operation follows one of another stream" },
		{ "full queue", INFERRED, rooms.n, "a launch waits for room in its queue" },
		{ "wake-up", INFERRED, c->wake_ups, "a call follows one of another thread" },
		{ "out of order", DROPPED, c->violations, "the cause ends after its effect" },
		{ "outlived call", DROPPED, c->outlived,
		  "an operation ends after the call that waits for it" },
		{ "negative latency", DROPPED, c->negative,
		  "an operation begins before its launch call" },
		{ "late member", DROPPED, c->late, "a member arrives after another has left" },
		{ "unresolved event", DROPPED, c->unresolved,
		  "a stream waits for an event without a row: record with "
		  "--cuda-event-trace=true" },
	};

	(void)reterr;
	for (size_t i = 0; i < WL_COUNT(rows); i++) {
		if (rows[i].count == 0)
			continue;
		wl_table_row(out);
		wl_put_str(out, EDGE, rows[i].edge);
		wl_put_str(out, BASIS, bases[rows[i].basis]);
		wl_put_i64(out, COUNT, (int64_t)rows[i].count);
		wl_put_str(out, MEANING, rows[i].meaning);
	}
	if (rooms.n)
		wl_table_note(out,
			      "launch queues are full at %" PRIu32 " to %" PRIu32
			      " launches; %.0f of %zu waits for room are expected to be wrong",
			      rooms.least, rooms.most, rooms.wrong, rooms.n);
	return WL_OK;
}

const struct wl_analysis wl_analysis_dependencies = {
	.name = "dependencies",
	.help = "Show which waits are proven, and which are inferred",
	.about = "The edges of the activity graph, by which stragglers are found. Kinds without "
		 "edges are left out.",
	.on_host = true,
	.of_file = true,
	.from = WL_FROM(GRAPH),
	.cols = cols,
	.n_cols = WL_COUNT(cols),
	.run = run,
};
