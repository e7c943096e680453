/* SPDX-License-Identifier: MIT */
/* late_evidence.h - in which steps stragglers are slow, by what, and what they have in common. */
#ifndef WL_DERIVE_LATE_EVIDENCE_H
#define WL_DERIVE_LATE_EVIDENCE_H

#include "derive/graph/late/late.h"
#include "derive/graph/late/no_straggler.h"

struct wl_late_evidence {
	const struct wl_derived *given;
	const struct wl_late_peers *compared;
	const struct wl_evened_member *evened; /* of each straggler */
	struct wl_straggler *straggler;        /* of the set */
};

/*
 * Given n, shares and own and others of the set. A step of a straggler is slow if its activities
 * take longer than those of the references by a hundredth of the median step, and by a quarter of
 * the most in any step. The gap before the first call of a slow step is of the step before it,
 * whose period it ends, where that one is slow without the gap before its own first call, and this
 * one is not: it is one stop between two steps. The rest follows from slow steps alone.
 * Owned by the arena; false when that is exhausted.
 */
bool wl_late_evidence_find(const struct wl_late_evidence *of, struct wl_arena *arena,
			   struct wl_late_set *set) WL_MUST_CHECK;

#endif
