/* SPDX-License-Identifier: MIT */
/*
 * launch_times.h - launch costs by kernel name, or by the library call that the launch lies in:
 * call, queue, latency, idle time.
 *
 * All kernels of a graph replay have one launch call. Its times belong to the kernel that
 * starts first (then by device, stream and row), in the whole trace; the others are later
 * nodes and have none, so that the durations of the calls add up.
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

/* The times of a kernel in the window are not clipped; exposed is. Statistics may be of nothing. */
struct wl_launch_times {
	const char *name;    /* demangled; or of the library call, NULL outside any */
	const char *library; /* NULL by kernel name, and outside any call */
	int64_t calls;       /* kernels with a part in the window */
	int64_t launched;    /* those with a launch call */
	int64_t later;       /* those that share it with a kernel that started earlier */
	wl_ns time;          /* of their parts in the window; stops at INT64_MAX */
	int64_t negative;    /* of the others, those that began before their launch call did */
	wl_ns exposed;       /* idle time of gaps that such a kernel ends, inside its launch call;
				stops at INT64_MAX */
	wl_ns cost[WL_N_CALL_COSTS]; /* of api, what went to each class (call_costs.h) */
	struct wl_stats api;         /* durations of launch calls */
	struct wl_stats queue;       /* from the end of the call to the kernel, where not below 0 */
	struct wl_stats latency;     /* from the begin of the call to the kernel; may be below 0 */
};

/*
 * One for each name that has calls or exposed time, in no order; by is NULL for names of
 * kernels. Kernels without a launch call lie in no library call. Owned by the arena; NULL when that
 * is exhausted. Linear, four bytes per call; devices in parallel.
 */
const struct wl_launch_times *wl_launch_times_find(const struct wl_derived *derived,
						   const struct wl_scope *scope,
						   const struct wl_library_calls *by,
						   struct wl_arena *arena,
						   size_t *ret_n) WL_MUST_CHECK;

#endif
