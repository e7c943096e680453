/* SPDX-License-Identifier: MIT */
/* graph_parts.h - internals of graph.c: the sweeps that find candidates. */
#ifndef WL_DERIVE_GRAPH_PARTS_H
#define WL_DERIVE_GRAPH_PARTS_H

#include "base/memory/vec.h"
#include "derive/graph/build/graph.h"
#include "derive/rows/outermost.h"
#include "derive/rows/slices.h"

/* A candidate other than stream order and launch. */
struct wl_graph_edge {
	uint32_t op, from;
	enum wl_edge kind;
};

/* An operation that starts long after its stream and its launch allow. A time of INT64_MIN means
 * there is none. */
struct wl_graph_late {
	uint32_t op;
	wl_ns stream;   /* end of the operation before it, or its start if it still runs */
	wl_ns launched; /* start of its launch call */
};

struct wl_graph_making {
	const struct wl_derived *given;
	const struct wl_trace *trace;
	struct wl_graph *to;
	struct wl_arena *arena, *scratch;
	const struct wl_outer_lists *ranges; /* ranges that are MPI calls, by thread */
	struct wl_vec edges;                 /* struct wl_graph_edge */
	struct wl_vec late;                  /* struct wl_graph_late, by device, then start */
	const uint32_t *context;             /* by lane: number of its (process, context) */
	size_t n_contexts;
	const uint32_t *call;     /* all calls by process, then start, then number */
	const size_t *call_first; /* by process, with an end entry */
	const uint32_t *op;       /* operations by device, then start */
	const size_t *op_first;   /* by device, with an end entry */
	bool *has_event;          /* by operation: an event explains its start */
	uint32_t *n_events;       /* by process: number of such operations */
	bool *has_resolved; /* by process: some stream waits for an event with a known record */
};

/* The calls while their candidates are found. */
struct wl_graph_calling {
	struct wl_graph_making *m;
	const struct wl_trace *trace;
	uint32_t *outer, *before, *wake;
	const struct wl_slice *rows[WL_RANGE_CALLS]; /* by thread; NULL if there are none */
	bool is_plain; /* only CUDA calls, and those of a thread never overlap partially */
};

/* Number the lanes and contexts of all places. Sorts the places. */
bool wl_graph_lanes(struct wl_graph_making *m) WL_MUST_CHECK;

/* Find the outermost calls and the call before each. */
bool wl_graph_outer_calls(struct wl_graph_making *m, struct wl_graph_calling *ret) WL_MUST_CHECK;

/* Find the order of calls, the outermost calls, the call before each, and wake-ups. */
bool wl_graph_calls(struct wl_graph_making *m) WL_MUST_CHECK;

/* Find which call of another thread woke the thread of each call; needs everything else about the
 * calls. */
bool wl_graph_wakes(struct wl_graph_calling *calling) WL_MUST_CHECK;

/* In order of launches: find events, default-stream order, and what blocking calls wait for. */
bool wl_graph_launches(struct wl_graph_making *m) WL_MUST_CHECK;

/* In order of operations: find stream order, latencies, and late operations. */
bool wl_graph_streams(struct wl_graph_making *m) WL_MUST_CHECK;

/* The time at which a late operation's stream and launch allow it to start. */
wl_ns wl_graph_ready(const struct wl_graph *g, const struct wl_graph_late *late);

/* Find the calls that waited for room in a launch queue. */
bool wl_graph_queues(struct wl_graph_making *m) WL_MUST_CHECK;

/* Infer candidates of held operations. */
bool wl_graph_infer(struct wl_graph_making *m) WL_MUST_CHECK;

/* Find, by process, how much later operations start than their known candidates explain. */
bool wl_graph_unexplained(struct wl_graph_making *m) WL_MUST_CHECK;

/* Find the meetings of matched collectives and messages. */
bool wl_graph_meetings(struct wl_graph_making *m) WL_MUST_CHECK;

/* Record a candidate; one that ends after the start of the operation is dropped and counted. */
static inline void wl_graph_put_edge(struct wl_graph_making *m, uint32_t op, uint32_t from,
				     enum wl_edge kind)
{
	if (wl_graph_end(m->to, from) > wl_graph_start(m->to, op)) {
		m->to->counts.violations++;
		return;
	}
	m->to->counts.edges[kind]++;
	wl_vec_push(&m->edges, &(struct wl_graph_edge){ op, from, kind });
}

#endif
