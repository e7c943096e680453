/* SPDX-License-Identifier: MIT */
/*
 * exposed_waits.h - exposed communication in which a GPU waits for others: no overlap helps there.
 */
#ifndef WL_FINDINGS_EXPOSED_WAITS_H
#define WL_FINDINGS_EXPOSED_WAITS_H

#include "findings/rule_state.h"

/*
 * Exclude waits of matched collectives from claims, but for those that stragglers have claimed. A
 * matched operation waits as long as it takes longer than the shortest of its match; of that counts
 * what neither compute nor the transfer of another operation covers. Needs classes and matches.
 * False when the arena of the run is exhausted.
 */
bool wl_exposed_waits_leave(struct wl_rule_state *d) WL_MUST_CHECK;

#endif
