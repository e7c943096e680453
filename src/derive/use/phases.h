/* SPDX-License-Identifier: MIT */
/*
 * phases.h - host and GPU time by phase: NVTX ranges that are named for one part of the work.
 *
 * A range is of a phase by its name. An operation is of the phase of the outermost
 * range that has one, among those around its launch call and, bridged, above these
 * the ranges that were open on the anchor thread. So nothing counts twice.
 */
#ifndef WL_DERIVE_PHASES_H
#define WL_DERIVE_PHASES_H

#include "base/attr.h"
#include "base/memory/arena.h"
#include "derive/rows/scope.h"

struct wl_derived;

struct wl_phase_opts {
	size_t n;           /* phases */
	const uint32_t *of; /* by name in wl_range_names: the phase, or WL_NONE */
	bool bridge;
	/*
	 * Told of each compute kernel: its phase (n for none), its row, and the length of its part
	 * in the window; NULL for nothing. Needs classes.
	 */
	void (*kernel)(void *ctx, uint32_t phase, size_t row, wl_ns length);
	void *ctx;
};

/* All sums stop at INT64_MAX. */
struct wl_phase {
	size_t ranges;     /* in the window, none of whose ancestors is of a phase */
	wl_ns host_busy;   /* the length of their union, per thread, added up over threads */
	wl_ns gpu_busy;    /* the same of the operations' parts in the window, per device */
	wl_ns gpu_sum;     /* sum of these parts' durations */
	size_t pieces;     /* pairs of a range and a device that have operations */
	wl_ns gpu_span;    /* of each piece first start to last end, added up */
	wl_ns compute_sum; /* of compute kernels alone; 0 without classes */
	size_t n_graphs;   /* graph replays recorded whole, whose kernels are not known */
};

struct wl_phases {
	const struct wl_phase *phase; /* opts->n, and one more for what is of none */
	size_t n_ops, n_with_launch;  /* operations in the window; those with a launch call */
};

/*
 * Needs the columns of the forest, the links and the operations; classes for compute_sum. False
 * when memory is exhausted. Linear in ranges, and in operations times the ranges that are open
 * on the anchor thread.
 */
bool wl_phases_find(const struct wl_derived *derived, const struct wl_scope *scope,
		    const struct wl_phase_opts *opts, struct wl_arena *arena,
		    struct wl_phases *ret) WL_MUST_CHECK;

#endif
