/* SPDX-License-Identifier: MIT */
/*
 * graph_use.h - the CUDA graphs that ran: how often, and what the trace recorded of them.
 *
 * A replay is recorded whole, as a row of graphs, or node by node: then its
 * operations carry a node id, whose upper half is the graph, or only share the
 * correlation id of a call that launches graphs.
 */
#ifndef WL_DERIVE_GRAPH_USE_H
#define WL_DERIVE_GRAPH_USE_H

#include "base/attr.h"
#include "base/memory/arena.h"
#include "derive/calls/launch.h"
#include "derive/rows/scope.h"

struct wl_derived;

/* What one process did with one graph on one device, in the window. */
struct wl_graph_use {
	uint32_t process;
	uint32_t device;  /* WL_NONE: calls that launched graphs with nothing recorded */
	uint64_t graph;   /* WL_NO_U64: the trace does not say */
	int64_t launches; /* calls that launched it, each once */
	int64_t replays;  /* rows of graphs, and distinct correlation ids of nodes */
	int64_t nodes;    /* operations recorded as nodes */
	wl_ns busy;       /* time in which an operation of it runs */
};

struct wl_graph_uses {
	struct wl_graph_use *use;
	size_t n;
	bool any_node, any_whole; /* in the whole trace */
};

/* Needs the columns above, if there are such rows. Nearly linear. False if out of memory. */
bool wl_graph_uses_find(const struct wl_derived *derived, const struct wl_scope *scope,
			struct wl_arena *arena, struct wl_graph_uses *ret) WL_MUST_CHECK;

/* Whether the trace has replays, or calls that launch graphs, anywhere. */
bool wl_has_graphs(const struct wl_derived *derived, struct wl_arena *arena);

#endif
