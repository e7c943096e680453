/* SPDX-License-Identifier: MIT */
/* graph_parts.h - the inside of graph.c: the sweeps that find candidates. */
#ifndef WL_DERIVE_GRAPH_PARTS_H
#define WL_DERIVE_GRAPH_PARTS_H

#include "base/vec.h"
#include "derive/graph/graph.h"
#include "derive/rows/slices.h"

/* A candidate beside stream order and launch. */
struct wl_graph_edge {
	uint32_t op, from;
	enum wl_edge kind;
};

struct wl_graph_making {
	const struct wl_derived *given;
	const struct wl_trace *trace;
	struct wl_graph *to;
	struct wl_arena *arena, *scratch;
	struct wl_vec edges;     /* struct wl_graph_edge */
	const uint32_t *context; /* by lane: number of its (process, context) */
	size_t n_contexts;
	const uint32_t *call;     /* all calls by process, then start, then number */
	const size_t *call_first; /* by process, and once more */
	const uint32_t *op;       /* operations by device, then start */
	const size_t *op_first;   /* by device, and once more */
	bool *has_event;          /* by operation: an event explains its start */
	uint32_t *n_events;       /* by process: how many have one */
	bool *has_resolved; /* by process: a stream waits for an event whose record is known */
	uint32_t *inferred; /* by operation: the inferred candidate; WL_NONE */
};

/* The calls, while candidates of theirs are found. */
struct wl_graph_calling {
	struct wl_graph_making *m;
	const struct wl_trace *trace;
	uint32_t *outer, *before, *wake;
	const struct wl_slice *rows[WL_N_CALL_FAMILIES]; /* by thread; NULL without any */
	bool is_plain; /* CUDA calls alone, and those of a thread never overlap in part */
};

/* Number the lanes and contexts of places. Sorts places. */
bool wl_graph_lanes(struct wl_graph_making *m) WL_MUST_CHECK;

/* Calls by start, outermost calls, the call before each, and wake-ups. */
bool wl_graph_calls(struct wl_graph_making *m) WL_MUST_CHECK;

/* Which call of another thread woke the thread of each call, given all else of them. */
bool wl_graph_wakes(struct wl_graph_calling *calling) WL_MUST_CHECK;

/* In order of launches: events, the default stream, and what blocking calls wait for. */
bool wl_graph_launches(struct wl_graph_making *m) WL_MUST_CHECK;

/* In order of operations: stream order, latencies, and inferred candidates. */
bool wl_graph_streams(struct wl_graph_making *m) WL_MUST_CHECK;

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
