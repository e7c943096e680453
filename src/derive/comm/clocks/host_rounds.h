/* SPDX-License-Identifier: MIT */
/*
 * host_rounds.h - clocks of hosts that meet in a circle: rounds of weighted least squares.
 *
 * A tree of comparisons leaves out those that close a circle, and what they contradict is
 * theirs alone. In each round every host but the reference is moved, one after the other, to the
 * line through the means of the others in its collectives. An anchor counts less the farther it
 * is from its collective, beyond three times the scaled median of all: a few wild ends do not
 * move a clock.
 */
#ifndef WL_DERIVE_HOST_ROUNDS_H
#define WL_DERIVE_HOST_ROUNDS_H

#include "base/attr.h"
#include "base/memory/arena.h"
#include "derive/comm/clocks/host_clock.h"

enum { WL_HOST_ROUNDS = 3 };

/*
 * Move the clocks of the hosts that are tied. A host without drift keeps none. Linear in anchors,
 * but for a sort of them by distance in each round. False when the arena is exhausted.
 */
bool wl_host_rounds_run(const struct wl_clock_anchors *anchors, uint32_t reference,
			struct wl_arena *scratch, struct wl_host_clock *hosts) WL_MUST_CHECK;

#endif
