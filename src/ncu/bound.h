/* SPDX-License-Identifier: MIT */
/* bound.h - what bounds a kernel, from its shares of the peaks, and what limits its occupancy. */
#ifndef WL_NCU_BOUND_H
#define WL_NCU_BOUND_H

#include "ncu/measures.h"

/*
 * The class, with the thresholds of ncu's own rule (SOLBottleneck): "small grid" (both shares below
 * 60%, less than one wave), "latency" (both below 60%), "balanced" (shares within 10 points),
 * "compute", "DRAM" (memory, and DRAM is its busiest part), "cache" (memory, and DRAM is not). NULL
 * if the shares are unknown.
 */
const char *wl_ncu_bound(const struct wl_ncu_measures *m);

enum { WL_NCU_LIMITER_CAP = 64 };

/*
 * The limit that allows the fewest blocks per SM: "registers", "shared memory", "block size",
 * "blocks" or "barriers", separated by commas if several do. NULL if the report does not say or
 * occupancy can be 100 %. Returns buf.
 */
const char *wl_ncu_limiter(const struct wl_ncu_measures *m, char buf[WL_NCU_LIMITER_CAP]);

#endif
