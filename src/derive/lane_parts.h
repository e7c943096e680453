/* lane_parts.h - sums of a lane up to one of its events, for what is drawn from them. */
#ifndef WL_DERIVE_LANE_PARTS_H
#define WL_DERIVE_LANE_PARTS_H

#include "derive/lane.h"

/*
 * The time per category of all events before event i <= n, in ret[n_cats]. Looks at no more
 * than half a block of events.
 */
void wl_lane_sums_before(const struct wl_lane *lane, size_t i, wl_ns *ret);

/* The first event of [from, n) that starts at t or later. A logarithm of how far it is. */
size_t wl_lane_gallop(const struct wl_lane *lane, size_t from, wl_ns t);

#endif
