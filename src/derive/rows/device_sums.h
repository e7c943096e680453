/* SPDX-License-Identifier: MIT */
/* device_sums.h - the time of each kernel on each device. */
#ifndef WL_DERIVE_DEVICE_SUMS_H
#define WL_DERIVE_DEVICE_SUMS_H

#include "base/attr.h"
#include "base/memory/arena.h"
#include "derive/rows/scope.h"

/* The devices with the shortest and the longest total time of a kernel. */
struct wl_device_sum {
	wl_ns min, max;          /* sums of durations in the scope */
	uint32_t min_on, max_on; /* the first device if sums are equal */
	uint32_t n;              /* devices that ran it */
};

/*
 * By label; label[name] is the label of each kernel name. NULL if out of memory. One pass over the
 * kernels; needs their start, dur, place and name.
 */
struct wl_device_sum *wl_device_sums_find(const struct wl_trace *trace,
					  const struct wl_scope *scope, const uint32_t *label,
					  struct wl_arena *arena) WL_MUST_CHECK;

#endif
