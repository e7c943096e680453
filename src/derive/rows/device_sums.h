/* SPDX-License-Identifier: MIT */
/* device_sums.h - how much of each kernel's time every device has. */
#ifndef WL_DERIVE_DEVICE_SUMS_H
#define WL_DERIVE_DEVICE_SUMS_H

#include "base/attr.h"
#include "base/memory/arena.h"
#include "derive/rows/scope.h"

/* The devices on which a kernel ran for the shortest and for the longest time in all. */
struct wl_device_sum {
	wl_ns min, max;          /* sums of durations in the scope */
	uint32_t min_on, max_on; /* of equal sums the first device */
	uint32_t n;              /* devices that ran it */
};

/*
 * By label, of which label[name] has one for each kernel name. NULL without memory. One pass
 * over the kernels; needs their start, dur, place and name.
 */
struct wl_device_sum *wl_device_sums_find(const struct wl_trace *trace,
					  const struct wl_scope *scope, const uint32_t *label,
					  struct wl_arena *arena) WL_MUST_CHECK;

#endif
