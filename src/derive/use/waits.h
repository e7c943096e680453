/* SPDX-License-Identifier: MIT */
/*
 * waits.h - the device that each blocking call waits for, and its activity meanwhile.
 *
 * The device is that of the synchronisation row with the call's process and
 * correlation id; else of the first operation that the call launched; else the
 * only one that the process has operations on.
 */
#ifndef WL_DERIVE_WAITS_H
#define WL_DERIVE_WAITS_H

#include "base/attr.h"
#include "base/memory/arena.h"
#include "derive/calls/blocking.h"
#include "derive/kinds/intervals.h"
#include "model/trace.h"

struct wl_waits {
	size_t n;
	const uint32_t *call;          /* rows of the api family, ascending: the blocking calls */
	const uint32_t *device;        /* by wait: the device waited for, WL_NONE if unknown */
	const struct wl_intervals *on; /* by device: when any operation is under way there */
};

/* Covers the whole trace, regardless of the scope. Linear; false when the arena is exhausted. */
bool wl_waits_find(const struct wl_derived *derived, struct wl_arena *arena,
		   struct wl_waits *ret) WL_MUST_CHECK;

#endif
