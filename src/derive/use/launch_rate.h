/* SPDX-License-Identifier: MIT */
/*
 * launch_rate.h - launch rates: launches per second of activity of a device.
 *
 * Time is counted in bins of a millisecond from the window's begin. A bin is busy
 * when an operation of the device, or a call that launched one, has a part in it.
 */
#ifndef WL_DERIVE_LAUNCH_RATE_H
#define WL_DERIVE_LAUNCH_RATE_H

#include "base/attr.h"
#include "base/memory/arena.h"
#include "derive/calls/launch.h"
#include "derive/rows/scope.h"

struct wl_derived;

enum { WL_RATE_BIN_NS = 1000000, WL_BINS_PER_SECOND = 1000, WL_N_SHORT = 3 };

extern const wl_ns wl_short_kernels[WL_N_SHORT]; /* 5, 10 and 20 us */

struct wl_launch_rate {
	/*
	 * Calls that start in the window and launched a kernel or graph replay of the device, each
	 * once, plus kernels and replays that start there and whose call is not in the trace, once
	 * per correlation id. unrecorded counts only the latter.
	 */
	int64_t launches, unrecorded;
	int64_t busy_bins; /* the last one may be cut by the window and counts whole */
	int64_t kernels;   /* with a part in the window */
	int64_t short_kernels[WL_N_SHORT]; /* those whose part is at most this long */
	wl_ns kernel_p50, kernel_p90;      /* of the parts' lengths, by nearest rank */
	/*
	 * In some 1000 consecutive busy bins, 50,000 launches start and half of the kernels that
	 * start take at most 10 us, or 100,000 start and half take at most 20 us.
	 */
	bool storm;
};

/*
 * Needs start, dur and place of the operations. Nearly linear in the device's
 * operations, however long the window is; 16 bytes of scratch for each. False
 * when the arena is exhausted.
 */
bool wl_launch_rate_find(const struct wl_derived *derived, const struct wl_scope *scope,
			 uint32_t device, struct wl_arena *arena,
			 struct wl_launch_rate *ret) WL_MUST_CHECK;

#endif
