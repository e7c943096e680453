/* SPDX-License-Identifier: MIT */
/*
 * scope.h - the scope of an answer: a window per device, and the operations that count.
 *
 * The session resolves windows and selections to a scope before any analysis
 * runs. A scope narrows what is scanned and never changes what was loaded.
 */
#ifndef WL_DERIVE_SCOPE_H
#define WL_DERIVE_SCOPE_H

#include "model/trace.h"

struct wl_interval {
	wl_ns begin, end; /* [begin, end) */
};

struct wl_scope {
	bool whole;                        /* no window was requested: nothing is clipped */
	const struct wl_interval *device;  /* by device: the window; empty for one not selected */
	const bool *device_on;             /* by device: selected */
	const bool *place_on;              /* by place: operations there count */
	const struct wl_interval *process; /* by process: the window of its host rows */
	const bool *process_on;            /* by process: its host rows count */
};

/*
 * Clip [*start, *end) to the window. False when no part is inside; a zero-length interval is inside
 * when begin <= start < end, and nothing is inside an empty window. A whole scope clips nothing.
 */
static inline bool wl_clip(const struct wl_scope *scope, struct wl_interval window, wl_ns *start,
			   wl_ns *end)
{
	if (scope->whole)
		return true;
	if (window.begin >= window.end || *start >= window.end || *end < window.begin ||
	    (*end == window.begin && *start < *end))
		return false;
	if (*start < window.begin)
		*start = window.begin;
	if (*end > window.end)
		*end = window.end;
	return true;
}

/* The part of an operation that the scope admits, in [*start, *end); false when there is none. */
static inline bool wl_op_clip(const struct wl_trace *trace, const struct wl_scope *scope,
			      const struct wl_ops *ops, size_t row, wl_ns *start, wl_ns *end)
{
	uint32_t place = ops->place[row];

	*start = ops->start[row];
	*end = *start + wl_dur(ops->family, ops->dur, row);
	return scope->place_on[place] &&
	       wl_clip(scope, scope->device[trace->places[place].device], start, end);
}

/* The same for a host row of a thread; on entry, [*start, *end) is the whole row. */
static inline bool wl_host_clip(const struct wl_trace *trace, const struct wl_scope *scope,
				uint32_t thread, wl_ns *start, wl_ns *end)
{
	uint32_t process = trace->threads[thread].process;

	return scope->process_on[process] && wl_clip(scope, scope->process[process], start, end);
}

/* How many operations of a family the scope admits. Linear. */
size_t wl_ops_admitted(const struct wl_trace *trace, const struct wl_scope *scope,
		       enum wl_family_id family);

/* Get the rows [*ret_lo, *ret_hi) of an operation family on the device. Logarithmic. */
void wl_ops_on_device(const struct wl_trace *trace, const struct wl_ops *ops, uint32_t device,
		      size_t *ret_lo, size_t *ret_hi);

#endif
