/* SPDX-License-Identifier: MIT */
/*
 * exposed_waits.h - exposed communication in which a GPU waits for others; overlap does not help
 * there.
 */
#ifndef WL_FINDINGS_EXPOSED_WAITS_H
#define WL_FINDINGS_EXPOSED_WAITS_H

#include "derive/comm/collectives.h"
#include "findings/rule_state.h"

/* By collective and tile of a GPU; NULL if it has none. */
struct wl_exposed_waits {
	wl_ns *of[WL_N_COLLECTIVES];
};

/*
 * A matched operation waits for as long as it exceeds the shortest of its match; the part covered
 * by neither compute nor another operation's transfer counts. Needs classes and matches. Linear in
 * the GPU's communication. False when the arena is exhausted.
 */
bool wl_exposed_waits_find(const struct wl_rule_state *d, size_t gpu, struct wl_arena *arena,
			   struct wl_exposed_waits *ret) WL_MUST_CHECK;

/*
 * Claim a GPU's unclaimed waits, at most most[tile] of each tile, and subtract them from it. False
 * as above.
 */
bool wl_exposed_waits_claim(struct wl_rule_state *d, size_t gpu, wl_ns *most,
			    struct wl_claim *claim) WL_MUST_CHECK;

/*
 * Exclude unclaimed waits from later claims; stragglers and pipeline bubbles keep those they
 * claimed. False when the arena of the run is exhausted.
 */
bool wl_exposed_waits_leave(struct wl_rule_state *d) WL_MUST_CHECK;

#endif
