/* SPDX-License-Identifier: MIT */
/*
 * idle_parts.h - internal to idle.h: finds the causes of a device's gaps, one by one.
 */
#ifndef WL_DERIVE_IDLE_PARTS_H
#define WL_DERIVE_IDLE_PARTS_H

#include "base/memory/intern.h"
#include "base/memory/vec.h"
#include "derive/calls/call_costs.h"
#include "derive/calls/host_functions.h"
#include "derive/calls/host_rows.h"
#include "derive/comm/mpi_calls.h"
#include "derive/idle/idle.h"
#include "derive/idle/managed.h"
#include "derive/nvtx/range_names.h"

struct wl_idle {
	const struct wl_trace *trace;
	const struct wl_links *links;
	const struct wl_forest *forest; /* NULL in the calls-alone variant */
	const struct wl_range_names *names;
	const bool *skewed, *sees_os; /* by process */
	struct wl_host_rows rows;
	const struct wl_call_costs *costs;
	const struct wl_host_functions *functions;
	struct wl_managed managed;
	const struct wl_mpi_calls *mpi; /* NULL if none, and for calls alone */
};

/* The state of a walk over one device's gaps, with its position in the rows of the threads met. */
struct wl_explaining {
	const struct wl_idle *idle;
	struct wl_intern thread_numbers, process_numbers; /* numbers of those met, from 0 */
	struct wl_vec threads;             /* explain.c's state for each thread met */
	uint32_t last_thread, last_number; /* of the previous gap that had a thread */
	struct wl_vec flushes; /* struct wl_slice, by process met: its remaining flushes */
	struct wl_vec parts;   /* struct wl_gap_part, of the last gap */
};

void wl_explaining_init(struct wl_explaining *e, const struct wl_idle *idle,
			struct wl_budget *budget);
void wl_explaining_release(struct wl_explaining *e);

/*
 * Find the parts of a gap and fill in what opened it. Gaps must come in order of time.
 * False when memory is exhausted.
 */
bool wl_explain(struct wl_explaining *e, struct wl_gap *gap) WL_MUST_CHECK;

#endif
