/* SPDX-License-Identifier: MIT */
/*
 * launch_lags.h - what starts sooner because its launch call became shorter.
 *
 * A launch reaches the GPU towards the end of its call. An operation that starts after the end of
 * its call, and later than all that it is known to have waited for allows, may have waited for that
 * end: then its lag loses what the call does, less the time by which something else allowed it to
 * start later than its launch did.
 */
#ifndef WL_DERIVE_LAUNCH_LAGS_H
#define WL_DERIVE_LAUNCH_LAGS_H

#include "derive/graph/replay/replay_plan.h"

/*
 * What the lag of a position loses, never above 0, where lengths change by position. 0 for a lag
 * that is not unexplained (WL_UNEXPLAINED_NS), for what started inside its launch call, and where
 * the call loses no more than that limit, as calls differ by chance.
 */
wl_ns wl_launch_lag_change(const struct wl_replay_plan *plan, const wl_ns *length,
			   uint32_t position);

#endif
