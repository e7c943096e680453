/* SPDX-License-Identifier: MIT */
/*
 * idle_before.h - the idle time of a device right before each iteration.
 *
 * A stall that delays step i + 1 lies in the period of step i, which runs from the first operation
 * of i to that of i + 1. It counts as time before i + 1.
 */
#ifndef WL_DERIVE_IDLE_BEFORE_H
#define WL_DERIVE_IDLE_BEFORE_H

#include "base/attr.h"
#include "base/memory/arena.h"
#include "derive/iters/iters.h"

/*
 * By iteration of the process: the idle time of a device that ends when the iteration begins
 * (tile.begin), counted back at most to the previous iteration; WL_NO_TIME if the device had no
 * operation yet. Operations of all processes count. Linear in the device's operations. Owned by the
 * arena; NULL when that is exhausted.
 */
const wl_ns *wl_idle_before_find(const struct wl_trace *trace, const struct wl_process_iters *iters,
				 uint32_t device, struct wl_arena *arena) WL_MUST_CHECK;

/*
 * The step that is delayed by a long period of iteration i: i + 1 ("before" it) if the idle time
 * before i + 1 is more than half of the excess over the usual period; else i.
 */
struct wl_delayed {
	uint32_t iter;
	bool is_before; /* the time was lost before the iteration's first operation */
	wl_ns idle;     /* idle time before it; 0 unless is_before */
};

struct wl_delayed wl_delayed_by(const struct wl_process_iters *iters, const wl_ns *idle_before,
				uint32_t i);

#endif
