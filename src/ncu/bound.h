/* SPDX-License-Identifier: MIT */
/* bound.h - what holds a kernel up, by its shares of the peaks; and what limits its occupancy. */
#ifndef WL_NCU_BOUND_H
#define WL_NCU_BOUND_H

#include "ncu/measures.h"

/*
 * The class, with the thresholds of ncu's own rule (SOLBottleneck): "small grid" (both shares
 * below 60%, less than one wave), "latency" (both below 60%), "balanced" (shares within 10
 * points), "compute", "DRAM" (memory, of which DRAM is the busiest part), "cache" (memory, of
 * which it is not). NULL where the shares are not known.
 */
const char *wl_ncu_bound(const struct wl_ncu_measures *m);

enum { WL_NCU_LIMITER_CAP = 64 };

/*
 * "registers", "shared memory", "block size", "blocks" or "barriers": what allows the fewest blocks
 * per SM, with commas between several. NULL where the report does not say, and where occupancy can
 * be 100 %. Returns buf.
 */
const char *wl_ncu_limiter(const struct wl_ncu_measures *m, char buf[WL_NCU_LIMITER_CAP]);

#endif
