/* SPDX-License-Identifier: MIT */
/*
 * slow_transfers.h - whether transfers are slow in one group or in few steps. Overlap and smaller
 * buckets are no fix for that.
 *
 * The transfer of a match is its shortest operation. Groups are compared if they have the same
 * number of members and of matches of the collective, and the same number of bytes if recorded.
 * SendRecv pairs are compared only if at most a fifth of their operations is unmatched; on streams
 * with one role, one pair may have up to twice as many matches.
 */
#ifndef WL_FINDINGS_SLOW_TRANSFERS_H
#define WL_FINDINGS_SLOW_TRANSFERS_H

#include "findings/rule_state.h"

struct wl_slow_transfers {
	const char *text;     /* "; ...", or "" */
	struct wl_advice fix; /* action NULL: the rule's */
};

/*
 * Judge the collective with this title, on the GPU of the claim. Linear in communication
 * operations. False when the arena is exhausted.
 */
bool wl_slow_transfers_find(struct wl_rule_state *d, const struct wl_claim *claim,
			    const char *collective, struct wl_slow_transfers *ret) WL_MUST_CHECK;

#endif
