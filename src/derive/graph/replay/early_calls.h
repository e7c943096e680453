/* SPDX-License-Identifier: MIT */
/*
 * early_calls.h - calls that start before the run, which begins with the first operation. No
 * scenario changes what a call does before that time.
 */
#ifndef WL_DERIVE_EARLY_CALLS_H
#define WL_DERIVE_EARLY_CALLS_H

#include "derive/graph/replay/replay.h"

/*
 * Limit the changes at these positions, which are calls that start before changes->begin: gaps
 * stay, and an end at or after begin does not move before it.
 */
void wl_hold_early(const struct wl_replay_plan *plan, const uint32_t *early, size_t n,
		   struct wl_changes *changes);

#endif
