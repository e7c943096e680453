/* SPDX-License-Identifier: MIT */
/*
 * launch_times.h - launch costs (call, queue, latency, idle time) by kernel name or by enclosing
 * library call.
 *
 * All kernels of a graph replay share one launch call. Its times belong to the kernel that starts
 * first in the whole trace (then by device, stream and row). The others are later nodes and have no
 * such times; this makes the durations of calls add up.
 */
#ifndef WL_DERIVE_LAUNCH_TIMES_H
#define WL_DERIVE_LAUNCH_TIMES_H

#include "base/attr.h"
#include "base/memory/arena.h"
#include "derive/calls/call_costs.h"
#include "derive/rows/scope.h"
#include "derive/rows/stats.h"

struct wl_derived;
struct wl_library_calls;

/* The times of a kernel in the window are not clipped; `exposed` is. Statistics may be empty. */
struct wl_launch_times {
	const char *name;    /* demangled kernel name, or library call; NULL outside any */
	const char *library; /* NULL if by kernel name, and outside any call */
	int64_t calls;       /* kernels with a part in the window */
	int64_t launched;    /* those with a launch call */
	int64_t later;       /* those that share their launch call with an earlier kernel */
	wl_ns time;          /* of their parts in the window; saturates at INT64_MAX */
	int64_t negative;    /* of the others, those that began before their launch call */
	wl_ns exposed;       /* idle time inside its launch call, of gaps that such a kernel ends;
				saturates at INT64_MAX */
	wl_ns cost[WL_N_CALL_COSTS]; /* share of api in each class (call_costs.h) */
	struct wl_stats api;         /* durations of launch calls */
	struct wl_stats queue;       /* from the end of the call to the kernel, if not negative */
	struct wl_stats latency;     /* from the start of the call to the kernel; may be negative */
};

/*
 * One entry for each name that has calls or exposed time, in no order; `by` is NULL for kernel
 * names. Kernels without a launch call belong to no library call. Owned by the arena; NULL when
 * that is exhausted. Linear, with four bytes per call; devices are processed in parallel.
 */
const struct wl_launch_times *wl_launch_times_find(const struct wl_derived *derived,
						   const struct wl_scope *scope,
						   const struct wl_library_calls *by,
						   struct wl_arena *arena,
						   size_t *ret_n) WL_MUST_CHECK;

#endif
