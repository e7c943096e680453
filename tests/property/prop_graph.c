/* SPDX-License-Identifier: MIT */
/*
 * The replay of the activity graph without changes gives every activity its measured times.
 *
 *   property graph          the traces of $WARPLENS_SHARED/corpus and $WARPLENS_FIXTURES
 *   property graph FILE...  these, with what the graph counts
 */
#include <inttypes.h>
#include <stdio.h>

#include "derive/derivations.h"
#include "derive/graph/replay/replay.h"
#include "support/test_main.h"
#include "support/traces.h"

struct proving {
	size_t n_traces, n_activities, n_failed;
	bool is_loud;
};

static void describe(const struct wl_graph *g, const struct wl_replay *r)
{
	const struct wl_graph_counts *c = &g->counts;

	(void)printf("  %u operations, %zu activities, makespan %" PRId64 ", forced %zu\n",
		     g->n_ops, g->n_order, r->makespan, r->n_forced);
	(void)printf("  edges: %zu event, %zu default, %zu inferred; %zu violations, %zu negative "
		     "latencies, %zu crowded\n",
		     c->edges[WL_EDGE_EVENT], c->edges[WL_EDGE_DEFAULT], c->edges[WL_EDGE_INFERRED],
		     c->violations, c->negative, c->crowded);
	(void)printf("  %zu waits, %zu without a record; %zu meetings, %zu late; %zu wake-ups; %zu "
		     "blocking, %zu bind, %zu constrain\n",
		     c->waits, c->unresolved, g->n_meetings, c->late, c->wake_ups, c->blocking,
		     c->binding, c->constraints);
	for (size_t i = 0; i < g->trace->n_processes; i++)
		(void)printf("  process %u: latency %" PRId64 ", return %" PRId64 "\n",
			     g->trace->processes[i].pid, g->latency[i], g->back[i]);
}

static void prove(void *ctx, const char *name, const struct wl_trace *trace)
{
	struct proving *p = ctx;
	const struct wl_derived_opts opts = { .marker = NULL };
	struct wl_derivations d;
	struct wl_arena arena;
	struct wl_replay replay;
	struct wl_graph graph, *g = &graph;
	size_t n_moved = 0;

	p->n_traces++;
	wl_derivations_init(&d, trace, &opts, NULL, NULL);
	wl_arena_init(&arena, SIZE_MAX);
	if (!wl_derivations_find(&d, WL_FROM(LINKS) | WL_FROM(BLOCKING) | WL_FROM(MATCHES), NULL) ||
	    !wl_graph_find(&d.all, &arena, g) || !wl_replay_run(g, NULL, &arena, &replay)) {
		(void)printf("FAIL %s: no memory\n", name);
		p->n_failed++;
	} else {
		n_moved = wl_replay_count_moved(g, &replay);
		p->n_activities += g->n_order;
		if (p->is_loud)
			describe(g, &replay);
		if (n_moved || replay.n_forced)
			(void)printf("FAIL %s: %zu of %zu activities moved, %zu forced\n", name,
				     n_moved, g->n_order, replay.n_forced);
		p->n_failed += n_moved || replay.n_forced;
	}
	wl_arena_release(&arena);
	wl_derivations_release(&d);
}

TEST_MAIN(graph)
{
	struct proving p = { .is_loud = argc > 1 };
	int status = for_each_loaded_trace(argc, argv, prove, &p);

	(void)printf("%zu traces, %zu activities, %zu failed\n", p.n_traces, p.n_activities,
		     p.n_failed);
	return p.n_failed ? 1 : status;
}
