/* SPDX-License-Identifier: MIT */
/*
 * thread_use.h - the activity of each host thread inside a scope.
 *
 * Times are lengths of unions of the parts inside the window, not sums: nested calls count once.
 */
#ifndef WL_DERIVE_THREAD_USE_H
#define WL_DERIVE_THREAD_USE_H

#include "base/attr.h"
#include "base/memory/arena.h"
#include "derive/calls/blocking.h"
#include "derive/calls/call_costs.h"
#include "derive/rows/scope.h"
#include "model/trace.h"

struct wl_thread_use {
	bool is_known;     /* has API calls, NVTX ranges or OS calls anywhere in the trace */
	bool is_in_window; /* any of these, or time on a CPU, is inside the window */
	bool calls;        /* an API call is inside the window */
	wl_ns api;         /* in API calls */
	wl_ns sync;        /* in API calls that block (blocking.h) */
	wl_ns cost[WL_N_CALL_COSTS]; /* the part of api in each class (call_costs.h) */
	wl_ns os;                    /* in OS runtime calls */
	wl_ns on_cpu; /* from each row that switches it in to its next row, or from the last row to
			 the end of the trace; of rows at the same time, those that switch out come
			 first. Where the window is open, inside the extent of API calls, NVTX
			 ranges and OS calls of the selected processes */
	wl_ns nvtx_self;  /* sum over its push/pop ranges, each minus the union of its children;
			     stops at INT64_MAX */
	int64_t launches; /* calls that launched an operation and start inside the window */
};

struct wl_thread_uses {
	const struct wl_thread_use *of; /* by thread */
};

/*
 * For threads of a process that is not selected, only is_known is set. Families that were not
 * loaded count as empty. False when the arena is exhausted. Linear in host rows and operations;
 * threads in parallel.
 */
bool wl_thread_use_find(const struct wl_derived *given, const struct wl_scope *scope,
			struct wl_arena *arena, struct wl_thread_uses *ret) WL_MUST_CHECK;

#endif
