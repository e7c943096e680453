/* SPDX-License-Identifier: MIT */
/*
 * early_calls.h - calls that start before the run does. What a call does before the first operation
 * starts stays, whatever a scenario says: the run begins then.
 */
#ifndef WL_DERIVE_EARLY_CALLS_H
#define WL_DERIVE_EARLY_CALLS_H

#include "derive/graph/replay/replay.h"

/*
 * Take back what changes of these positions, of calls that start before changes->begin, move to
 * before it: gaps stay, and an end at or after the begin does not move before it.
 */
void wl_hold_early(const struct wl_replay_plan *plan, const uint32_t *early, size_t n,
		   struct wl_changes *changes);

#endif
