/* SPDX-License-Identifier: MIT */
/* waits.c - the inferred waits of one stream for another, and how soon they follow. */
#include "analysis/analysis.h"
#include "derive/derived.h"
#include "derive/graph/build/graph.h"
#include "derive/nvtx/ranks.h"

WL_DECLARE_ANALYSIS(waits);

enum { PID, RANK, GPU, STREAM, FROM, WAITS, WITHIN, CHANCE, HELD };

static const struct wl_col cols[] = {
	[PID] = { "pid", "PID", WL_T_COUNT, WL_KEY, "Process." },
	[RANK] = { "rank", "Rank", WL_T_COUNT, WL_KEY, "Its rank; empty if unknown." },
	[GPU] = { "gpu", "GPU", WL_T_COUNT, WL_KEY, "The device of both streams." },
	[STREAM] = { "stream", "Stream", WL_T_COUNT, WL_KEY, "The stream that waits." },
	[FROM] = { "from", "For", WL_T_COUNT, WL_KEY, "The stream that it waits for." },
	[WAITS] = { "waits", "Waits", WL_T_COUNT, WL_SUM, "Inferred waits." },
	[WITHIN] = { "within", "Within", WL_T_NS, WL_PLAIN,
		     "How soon after the end on the other stream an operation starts that waits "
		     "for it; empty where no more do so than by chance." },
	[CHANCE] = { "chance", "By chance", WL_T_RATIO, WL_PLAIN,
		     "How many follow it as soon at a moment at which they do not start: so many "
		     "of "
		     "the waits are expected to be wrong." },
	[HELD] = { "held", "Held", WL_T_COUNT, WL_PLAIN,
		   "Operations that start more than 20 us after their stream and their launch "
		   "allow, and before which the other stream ended last: what it was learned "
		   "from." },
};

static void put_stream(struct wl_table *out, size_t col, uint32_t stream)
{
	if (stream != WL_NONE)
		wl_put_i64(out, col, stream);
}

static void add_row(const struct wl_run *r, struct wl_table *out, const struct wl_stream_pair *pair)
{
	const struct wl_place *place = &r->trace->places[pair->place];
	int64_t rank = r->derived->ranks->of[place->process];

	wl_table_row(out);
	wl_put_i64(out, PID, r->trace->processes[place->process].pid);
	if (rank >= 0)
		wl_put_i64(out, RANK, rank);
	if (place->device != WL_NONE)
		wl_put_i64(out, GPU, place->device);
	put_stream(out, STREAM, place->stream);
	put_stream(out, FROM, r->trace->places[pair->from].stream);
	wl_put_i64(out, WAITS, pair->n_waits);
	if (pair->within >= 0)
		wl_put_i64(out, WITHIN, pair->within);
	if (pair->n_held)
		wl_put_ratio(out, CHANCE, pair->n_chance, pair->n_held);
	wl_put_i64(out, HELD, pair->n_held);
}

static int run(const struct wl_run *r, struct wl_table *out, struct wl_err *reterr)
{
	const struct wl_graph *g = r->derived->graph;
	double wrong = 0;

	(void)reterr;
	for (size_t i = 0; i < g->n_pairs; i++) {
		/* A pair without waits gets a row if chance is the reason. */
		if (g->pair[i].n_waits || g->pair[i].within < 0)
			add_row(r, out, &g->pair[i]);
		wrong += wl_stream_pair_wrong(&g->pair[i]);
	}
	if (g->counts.edges[WL_EDGE_INFERRED])
		wl_table_note(out, "%.0f of %zu inferred waits are expected to be wrong", wrong,
			      g->counts.edges[WL_EDGE_INFERRED]);
	return WL_OK;
}

const struct wl_analysis wl_analysis_waits = {
	.name = "waits",
	.help = "Show which streams seem to wait for each other, and how soon they follow",
	.about = "In processes that record few events or none, an operation that is held is taken "
		 "to wait for what ended on another stream shortly before it. How shortly is "
		 "learned for each pair of streams, by comparing starts with moments at which "
		 "nothing starts.",
	.on_host = true,
	.of_file = true,
	.from = WL_FROM(GRAPH) | WL_FROM(RANKS),
	.cols = cols,
	.n_cols = WL_COUNT(cols),
	.run = run,
};
