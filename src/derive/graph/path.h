/* SPDX-License-Identifier: MIT */
/*
 * path.h - the critical path of a trace: the chain of activities that determined when it ended.
 *
 * It is found once for the whole trace by walking the activity graph backwards from the last end of
 * a GPU operation to the first start of one. At the end of an activity, the path enters the
 * activity; at its start, it continues at the candidate that released it, and the time between is a
 * separate segment. Segments are contiguous, none is negative, and they add up to the window; the
 * same holds when they are clipped to tiles of it.
 *
 * Ties between candidates are resolved in this order: events, the default stream, stream order, the
 * launch, inferred candidates; between events, the smaller stream, the earlier row, the smaller
 * rank. If several members arrive last, the path stays on its own member, else it takes the smaller
 * rank.
 */
#ifndef WL_DERIVE_PATH_H
#define WL_DERIVE_PATH_H

#include "base/attr.h"
#include "base/memory/arena.h"
#include "derive/graph/build/graph.h"
#include "derive/rows/scope.h"

struct wl_derived;

/* The class of a path segment. */
enum wl_path_class {
	WL_PATH_COMPUTE,
	WL_PATH_COMM,     /* unmatched communication, which may wait for others */
	WL_PATH_TRANSFER, /* part of a matched collective after its last arrival */
	WL_PATH_COPY,
	WL_PATH_HOST, /* between two calls */
	WL_PATH_API,
	WL_PATH_MPI,
	WL_PATH_RETURN, /* from the end of an operation, or the start of one that makes room in the
			   launch queue, to the end of the call that waits for it */
	/* Time of calls not spent on their own work, as far as nsys records it. */
	WL_PATH_QUEUE,
	WL_PATH_LOADING,
	WL_PATH_PROFILER,
	WL_PATH_CALLBACK, /* time for which a stream waits for a host function */
	/* Rigid classes: a replay keeps their lengths. */
	WL_PATH_LATENCY,    /* from the start of a launch call to the start of its operation */
	WL_PATH_DISPATCH,   /* between two operations of a stream */
	WL_PATH_DEPENDENCY, /* between two operations of different streams */
	WL_PATH_UNKNOWN,    /* nothing explains it */
	WL_N_PATH_CLASSES
};

const char *wl_path_class_name(enum wl_path_class class); /* "compute", "transfer", ... */

static inline bool wl_path_class_is_rigid(enum wl_path_class class)
{
	return class >= WL_PATH_LATENCY;
}

struct wl_path {
	const struct wl_graph *graph;
	struct wl_interval window; /* from the first start to the last end of all operations */
	size_t n;
	const wl_ns *begin;       /* by segment, with an end entry: the end of the last */
	const uint8_t *class;     /* enum wl_path_class */
	const uint32_t *activity; /* activity of the segment; between activities, the later one */
	const bool *is_inferred;  /* an inferred candidate leads to it */
	const wl_ns *last;        /* by segment of a transfer: the last arrival, if members of the
				     collective are not in the graph; NULL if all are */

	wl_ns time[WL_N_PATH_CLASSES]; /* they add up to the window */
	wl_ns rigid;    /* part of the window: latency, dispatch, dependency, unknown, including the
			   parts of these that calls and host functions take */
	wl_ns inferred; /* part of the window in segments that an inferred candidate leads to */
	size_t n_violations;     /* violations of causality: dropped or late candidates */
	size_t n_activities;     /* activities of the graph, for the shares */
	size_t n_skewed;         /* processes whose host and GPU clocks disagree */
	bool has_clashing_hosts; /* the clocks of hosts contradict each other */
};

/* Whether a path is sound, needs a warning, or is refused. */
enum wl_path_trust { WL_PATH_SOUND, WL_PATH_DOUBTFUL, WL_PATH_REFUSED };

/*
 * Doubtful: more than 1% unknown or 0.1% violations. Refused: more than 10% of either, or clocks
 * that disagree.
 */
enum wl_path_trust wl_path_trust(const struct wl_path *path);

/*
 * Linear in activities and candidates. Takes 14 bytes per segment, with at most two segments per
 * activity and two per cost of a call and per host function on it. Empty without operations. The
 * arena owns the result; false when it is exhausted.
 */
bool wl_path_find(const struct wl_derived *given, struct wl_arena *arena,
		  struct wl_path *ret) WL_MUST_CHECK;

/* The segment at time t, which must be in the window. Takes logarithmic time. */
size_t wl_path_at(const struct wl_path *path, wl_ns t);

#endif
