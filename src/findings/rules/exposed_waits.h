/* SPDX-License-Identifier: MIT */
/*
 * exposed_waits.h - exposed communication in which a GPU waits for others: no overlap helps there.
 */
#ifndef WL_FINDINGS_EXPOSED_WAITS_H
#define WL_FINDINGS_EXPOSED_WAITS_H

#include "derive/comm/collectives.h"
#include "findings/rule_state.h"

/* By collective and tile of a GPU; NULL: it has none. */
struct wl_exposed_waits {
	wl_ns *of[WL_N_COLLECTIVES];
};

/*
 * A matched operation waits as long as it takes longer than the shortest of its match; of that
 * counts what neither compute nor the transfer of another operation covers. Needs classes and
 * matches. Linear in what the GPU communicates. False when the arena is exhausted.
 */
bool wl_exposed_waits_find(const struct wl_rule_state *d, size_t gpu, struct wl_arena *arena,
			   struct wl_exposed_waits *ret) WL_MUST_CHECK;

/*
 * Claim such waits of a GPU, as far as they are not claimed yet, of each tile at most so much,
 * which they are taken from. False as above.
 */
bool wl_exposed_waits_claim(struct wl_rule_state *d, size_t gpu, wl_ns *most,
			    struct wl_claim *claim) WL_MUST_CHECK;

/*
 * Exclude such waits from claims, but for those that stragglers and the bubble of a pipeline have
 * claimed. False when the arena of the run is exhausted.
 */
bool wl_exposed_waits_leave(struct wl_rule_state *d) WL_MUST_CHECK;

#endif
