/* SPDX-License-Identifier: MIT */
/*
 * phases.h - host and GPU time by phase: NVTX ranges whose names stand for one part of the work.
 *
 * A range belongs to a phase by its name. An operation belongs to the phase of the outermost range
 * with one, among those around its launch call and, if bridged, above these the ranges that were
 * open on the anchor thread. Nothing counts twice.
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
	 * Called for each compute kernel with its phase (n for none), its row, and the length of
	 * its part in the window. May be NULL. Needs classes.
	 */
	void (*kernel)(void *ctx, uint32_t phase, size_t row, wl_ns length);
	void *ctx;
};

/* All sums stop at INT64_MAX. */
struct wl_phase {
	size_t ranges;     /* in the window, without ancestors in a phase */
	wl_ns host_busy;   /* the length of their union per thread, summed over threads */
	wl_ns gpu_busy;    /* the same for the operations' parts in the window, per device */
	wl_ns gpu_sum;     /* sum of these parts' durations */
	size_t pieces;     /* pairs of a range and a device with operations */
	wl_ns gpu_span;    /* first start to last end of each piece, summed */
	wl_ns compute_sum; /* of compute kernels only; 0 without classes */
	size_t n_graphs;   /* graph replays recorded whole, with unknown kernels */
};

struct wl_phases {
	const struct wl_phase *phase; /* opts->n phases, plus one for operations of none */
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
