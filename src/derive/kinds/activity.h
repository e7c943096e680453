/* SPDX-License-Identifier: MIT */
/*
 * activity.h - which classes of work are under way on a device, moment by moment.
 *
 * The time from a device's first operation to its last end is cut wherever a class begins
 * or ends. Unions, overlaps and idle time of the device are sums over these segments, which
 * are fewer and smaller than the operations.
 */
#ifndef WL_DERIVE_ACTIVITY_H
#define WL_DERIVE_ACTIVITY_H

#include "derive/kinds/classes.h"
#include "derive/kinds/intervals.h"

enum wl_active {
	WL_ON_COMPUTE = 1 << WL_COMPUTE,
	WL_ON_COMM = 1 << WL_COMM,
	WL_ON_COPY = 1 << WL_COPY,
	WL_ON_KERNEL = 1 << WL_N_CLASSES, /* a kernel of either class */
	WL_N_MASKS = 1 << (WL_N_CLASSES + 1),
};

/* The activity of one device, regardless of windows: readers clip it to theirs. */
struct wl_activity {
	uint32_t device;
	size_t n;            /* segments; also 0 if no operation has a length */
	const wl_ns *begin;  /* n + 1, ascending: a segment ends where the next begins */
	const uint8_t *mask; /* n: bits of enum wl_active; neighbours differ */
};

/* Counts the operations on places that the scope admits, or all if it is NULL. Linear. */
bool wl_activity_of_device(const struct wl_trace *trace, const struct wl_scope *scope,
			   const struct wl_classes *classes, uint32_t device,
			   struct wl_arena *arena, struct wl_activity *ret) WL_MUST_CHECK;

/*
 * The intervals in which any of the wanted bits is under way, clipped to the window; NULL for no
 * clipping. Linear in the segments of the window. False when the arena is exhausted.
 */
bool wl_activity_intervals(const struct wl_activity *activity, unsigned wanted,
			   const struct wl_interval *window, struct wl_arena *arena,
			   struct wl_intervals *ret) WL_MUST_CHECK;

/* The first segment that ends after a time; n if none does. Logarithmic. */
size_t wl_activity_after(const struct wl_activity *activity, wl_ns at);

/*
 * The last time, at most upto, at which the device resumed after idle time; INT64_MIN for none. All
 * operations of the activity that start earlier also end earlier: a walk that needs only operations
 * that end after a time may begin here. Operations that start together are on the same side.
 */
wl_ns wl_activity_resumed(const struct wl_activity *activity, wl_ns upto);

struct wl_derived;

struct wl_activities {
	const struct wl_activity *device; /* by device; empty if it is not selected */
};

/* Find the activity of selected devices: of all their operations, and of those that the scope
 * admits. */
bool wl_all_activity_find(const struct wl_derived *given, const struct wl_scope *scope,
			  struct wl_arena *arena, struct wl_activities *ret) WL_MUST_CHECK;
bool wl_activity_find(const struct wl_derived *given, const struct wl_scope *scope,
		      struct wl_arena *arena, struct wl_activities *ret) WL_MUST_CHECK;

#endif
