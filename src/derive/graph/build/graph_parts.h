/* SPDX-License-Identifier: MIT */
/* graph_parts.h - the inside of graph.c: the sweeps that find candidates. */
#ifndef WL_DERIVE_GRAPH_PARTS_H
#define WL_DERIVE_GRAPH_PARTS_H

#include "base/memory/vec.h"
#include "derive/graph/build/graph.h"
#include "derive/rows/outermost.h"
#include "derive/rows/slices.h"

/* A candidate beside stream order and launch. */
struct wl_graph_edge {
	uint32_t op, from;
	enum wl_edge kind;
};

/* An operation that starts long after its stream and its launch allow. INT64_MIN: it has none. */
struct wl_graph_late {
	uint32_t op;
	wl_ns stream;   /* end of the operation before it, or its start where that still runs */
	wl_ns launched; /* begin of its launch call */
};

struct wl_graph_making {
	const struct wl_derived *given;
	const struct wl_trace *trace;
	struct wl_graph *to;
	struct wl_arena *arena, *scratch;
	const struct wl_outer_lists *ranges; /* that are calls of MPI, by thread */
	struct wl_vec edges;                 /* struct wl_graph_edge */
	struct wl_vec late;                  /* struct wl_graph_late, by device, then start */
	const uint32_t *context;             /* by lane: number of its (process, context) */
	size_t n_contexts;
	const uint32_t *call;     /* all calls by process, then start, then number */
	const size_t *call_first; /* by process, and once more */
	const uint32_t *op;       /* operations by device, then start */
	const size_t *op_first;   /* by device, and once more */
	bool *has_event;          /* by operation: an event explains its start */
	uint32_t *n_events;       /* by process: how many have one */
	bool *has_resolved; /* by process: a stream waits for an event whose record is known */
};

/* The calls, while candidates of theirs are found. */
struct wl_graph_calling {
	struct wl_graph_making *m;
	const struct wl_trace *trace;
	uint32_t *outer, *before, *wake;
	const struct wl_slice *rows[WL_RANGE_CALLS]; /* by thread; NULL without any */
	bool is_plain; /* CUDA calls alone, and those of a thread never overlap in part */
};

/* Number the lanes and contexts of places. Sorts places. */
bool wl_graph_lanes(struct wl_graph_making *m) WL_MUST_CHECK;

/* Outermost calls, and the call before each. */
bool wl_graph_outer_calls(struct wl_graph_making *m, struct wl_graph_calling *ret) WL_MUST_CHECK;

/* Calls by start, outermost calls, the call before each, and wake-ups. */
bool wl_graph_calls(struct wl_graph_making *m) WL_MUST_CHECK;

/* Which call of another thread woke the thread of each call, given all else of them. */
bool wl_graph_wakes(struct wl_graph_calling *calling) WL_MUST_CHECK;

/* In order of launches: events, the default stream, and what blocking calls wait for. */
bool wl_graph_launches(struct wl_graph_making *m) WL_MUST_CHECK;

/* In order of operations: stream order, latencies, and which operations are late. */
bool wl_graph_streams(struct wl_graph_making *m) WL_MUST_CHECK;

/* When its stream and its launch allow a late operation to start. */
wl_ns wl_graph_ready(const struct wl_graph *g, const struct wl_graph_late *late);

/* Calls that waited for room in a launch queue. */
bool wl_graph_queues(struct wl_graph_making *m) WL_MUST_CHECK;

/* Inferred candidates of operations that are held. */
bool wl_graph_infer(struct wl_graph_making *m) WL_MUST_CHECK;

/* By process how much later operations start than their candidates, which are known, explain. */
bool wl_graph_unexplained(struct wl_graph_making *m) WL_MUST_CHECK;

/* Matched collectives. */
bool wl_graph_meetings(struct wl_graph_making *m) WL_MUST_CHECK;

/* Note a candidate; one after the start of the operation is dropped and counted. */
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
