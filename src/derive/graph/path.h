/* SPDX-License-Identifier: MIT */
/*
 * path.h - the critical path of a trace: the chain of activities that decided when it ended.
 *
 * Found once, on the whole trace, by walking the activity graph backwards from the last end of a
 * GPU operation to the first start of one. At the end of an activity the path is in the
 * activity; at its start it goes on at the candidate that released it, and the time between is
 * a segment of its own. Segments are contiguous, none is negative, and they add up to the
 * window; clipped to any tiles of it they still do.
 *
 * Ties between candidates: events, then the default stream, stream order, the launch, and what was
 * inferred; of several events the smaller stream, the earlier row, the smaller
 * rank. Of members that arrive last together the one that is left, else the smaller rank.
 */
#ifndef WL_DERIVE_PATH_H
#define WL_DERIVE_PATH_H

#include "base/attr.h"
#include "base/memory/arena.h"
#include "derive/graph/build/graph.h"
#include "derive/rows/scope.h"

struct wl_derived;

/* What a segment is spent on. */
enum wl_path_class {
	WL_PATH_COMPUTE,
	WL_PATH_COMM,     /* communication that is not matched, which may wait for others */
	WL_PATH_TRANSFER, /* of a matched collective, since its last arrival */
	WL_PATH_COPY,
	WL_PATH_HOST, /* between two calls */
	WL_PATH_API,
	WL_PATH_MPI,
	WL_PATH_RETURN, /* from the end of an operation to that of the call that waits for it; or
			   from the start of one that makes room in the launch queue */
	/* What calls spend on other than their own work, where nsys says it. */
	WL_PATH_QUEUE,
	WL_PATH_LOADING,
	WL_PATH_PROFILER,
	WL_PATH_CALLBACK, /* of what a stream waits, what it waits for a function of the host */
	/* Rigid: a replay keeps their lengths. */
	WL_PATH_LATENCY,    /* from the start of a launch call to that of its operation */
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
	struct wl_interval window; /* from the first start of an operation to the last end */
	size_t n;
	const wl_ns *begin;       /* by segment, and once more: the end of the last */
	const uint8_t *class;     /* enum wl_path_class */
	const uint32_t *activity; /* that it is spent in; between activities the later one */
	const bool *is_inferred;  /* an inferred candidate leads to it */
	const wl_ns *last;        /* by segment of a transfer: the last arrival, where members of
				     the collective are not in the graph; NULL: all are */

	wl_ns time[WL_N_PATH_CLASSES]; /* they add up to the window */
	wl_ns rigid;                   /* of it: latency, dispatch, dependency, unknown, with what
					  calls and functions of the host have of them */
	wl_ns inferred;                /* of it: in segments that an inferred candidate leads to */
	size_t n_violations;           /* of causality: candidates that were dropped, or late */
	size_t n_activities;           /* of the graph, for their share */
	size_t n_skewed;               /* processes whose clocks of host and GPU disagree */
	bool has_clashing_hosts;       /* the clocks of hosts contradict each other */
};

/* When to say first that little of a path is proven, and when to refuse it. */
enum wl_path_trust { WL_PATH_SOUND, WL_PATH_DOUBTFUL, WL_PATH_REFUSED };

/*
 * Doubtful: more than 1% unknown or 0.1% violations. Refused: more than 10% of either, or clocks
 * that disagree.
 */
enum wl_path_trust wl_path_trust(const struct wl_path *path);

/*
 * Linear in activities and candidates; 14 bytes per segment, at most two per activity, and two per
 * cost of a call and function of the host on it. Empty without operations. Owned by the arena;
 * false when that is exhausted.
 */
bool wl_path_find(const struct wl_derived *given, struct wl_arena *arena,
		  struct wl_path *ret) WL_MUST_CHECK;

/* The segment under way at t, which is in the window. Logarithmic. */
size_t wl_path_at(const struct wl_path *path, wl_ns t);

#endif
