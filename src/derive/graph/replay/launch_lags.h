/* SPDX-License-Identifier: MIT */
/*
 * launch_lags.h - operations that start sooner because their launch call became shorter.
 *
 * A launch reaches the GPU towards the end of its call. An operation that starts after the end of
 * its call, and later than its known candidates allow, may have waited for that end. Its lag then
 * shrinks by as much as the call, less the time by which another candidate allowed it to start
 * later than its launch did.
 */
#ifndef WL_DERIVE_LAUNCH_LAGS_H
#define WL_DERIVE_LAUNCH_LAGS_H

#include "derive/graph/replay/replay_plan.h"

/*
 * The change of a position's lag, never above 0, given changes of length by position. 0 if the lag
 * is explained (WL_UNEXPLAINED_NS), if the operation started inside its launch call, or if the call
 * loses no more than that limit, because calls vary by chance.
 */
wl_ns wl_launch_lag_change(const struct wl_replay_plan *plan, const wl_ns *length,
			   uint32_t position);

#endif
