/* SPDX-License-Identifier: MIT */
/*
 * sweep.h - the time account of a device: compute, exposed communication, copies, idle.
 *
 * At every moment, the classes of work under way form a mask (activity.h); the time spent in each
 * mask is summed. All accounting follows from these sums. They add up exactly to the window, and
 * they add up over tiles of a window.
 */
#ifndef WL_DERIVE_SWEEP_H
#define WL_DERIVE_SWEEP_H

#include "derive/kinds/activity.h"

struct wl_usage {
	wl_ns ns[WL_N_MASKS]; /* time with exactly this mask under way */
	size_t n_ops;         /* operations with a part in the window */
	size_t n_graphs;      /* opaque graph replays among them */
	size_t n_comm;        /* communication kernels among them */
};

/*
 * Account for the window of the activity's device. The activity must be that of the scope's places.
 * Needs start, dur and place of the four operation families. Linear in the device's operations.
 */
void wl_sweep_usage(const struct wl_trace *trace, const struct wl_scope *scope,
		    const struct wl_classes *classes, const struct wl_activity *activity,
		    struct wl_usage *ret);

/*
 * The same for n ordered, disjoint tiles, such as iterations, in one pass: ret[i] accounts for tile
 * i. Tiles lie inside the window unless the scope is whole. An operation that reaches into several
 * tiles counts in each; each such operation costs an extra logarithm of the tiles.
 */
void wl_sweep_tiles(const struct wl_trace *trace, const struct wl_scope *scope,
		    const struct wl_classes *classes, const struct wl_activity *activity,
		    const struct wl_interval *tiles, size_t n, struct wl_usage *ret);

/* Add only the times of such tiles to ret. Linear in segments and tiles. */
void wl_sweep_times(const struct wl_activity *a, const struct wl_interval *tiles, size_t n,
		    struct wl_usage *ret);

/* The time in which any of the wanted bits is under way. */
wl_ns wl_usage_any(const struct wl_usage *usage, unsigned wanted);

/* The time in which some bit of `wanted` is under way and none of `without`. */
wl_ns wl_usage_without(const struct wl_usage *usage, unsigned wanted, unsigned without);

/*
 * For each of n ascending times: how much of the window before it has any of the wanted bits under
 * way. The difference of two answers is how much of an interval is covered. Linear in segments
 * and times.
 */
void wl_sweep_covered(const struct wl_activity *a, struct wl_interval window, unsigned wanted,
		      const wl_ns *times, size_t n, wl_ns *ret_covered);

#endif
