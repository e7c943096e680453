/* SPDX-License-Identifier: MIT */
/*
 * sweep.h - the time account of a device: compute, exposed communication, copies, idle.
 *
 * One pass over a device's operations in order of start. At every moment the
 * classes of work that are under way form a mask; the time spent in each mask is
 * summed. All of the accounting follows from these sums, they add up to the
 * window exactly, and they add up over tiles of a window.
 */
#ifndef WL_DERIVE_SWEEP_H
#define WL_DERIVE_SWEEP_H

#include "derive/kinds/classes.h"
#include "derive/rows/scope.h"

enum wl_active {
	WL_ON_COMPUTE = 1 << WL_COMPUTE,
	WL_ON_COMM = 1 << WL_COMM,
	WL_ON_COPY = 1 << WL_COPY,
	WL_ON_KERNEL = 1 << WL_N_CLASSES, /* a kernel of either class */
	WL_N_MASKS = 1 << (WL_N_CLASSES + 1),
};

struct wl_usage {
	wl_ns ns[WL_N_MASKS]; /* time with exactly this mask under way */
	size_t n_ops;         /* operations with a part in the window */
	size_t n_graphs;      /* opaque graph replays among them */
	size_t n_comm;        /* communication kernels among them */
};

/*
 * Account for one device's window. Needs start, dur and place of the four
 * operation families. Linear in the device's operations.
 */
void wl_sweep_usage(const struct wl_trace *trace, const struct wl_scope *scope,
		    const struct wl_classes *classes, uint32_t device, struct wl_usage *ret);

/*
 * The same for n tiles in order that do not overlap, as iterations are, in one
 * pass: ret[i] accounts for tile i. Operations count as far as the scope admits
 * them; an operation that reaches into several tiles counts in each. Adds a
 * logarithm of the tiles per operation.
 */
void wl_sweep_tiles(const struct wl_trace *trace, const struct wl_scope *scope,
		    const struct wl_classes *classes, uint32_t device,
		    const struct wl_interval *tiles, size_t n, struct wl_usage *ret);

/* The time in which any of the wanted bits is under way. */
wl_ns wl_usage_any(const struct wl_usage *usage, unsigned wanted);

/* The time in which some bit of wanted is under way and none of without. */
wl_ns wl_usage_without(const struct wl_usage *usage, unsigned wanted, unsigned without);

/*
 * For each of n times, ascending, how much of the device's window before it has
 * any of the wanted bits under way. The difference of two answers is how much of
 * an interval is covered. Linear in operations and times.
 */
void wl_sweep_covered(const struct wl_trace *trace, const struct wl_scope *scope,
		      const struct wl_classes *classes, uint32_t device, unsigned wanted,
		      const wl_ns *times, size_t n, wl_ns *ret_covered);

#endif
