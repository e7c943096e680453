/* SPDX-License-Identifier: MIT */
/* late_evidence.h - when stragglers are slow, why, and what they have in common. */
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
 * Needs n, shares, own and others of the set. A step of a straggler is slow if its activities take
 * longer than those of the references by at least a hundredth of the median step and a quarter of
 * the largest excess in any step. The gap before the first call of a slow step is moved to the
 * previous step, whose period it ends, if that step is slow without its own first gap and this one
 * is not: both gaps then belong to one pause between two steps. Everything else is derived from
 * slow steps only. The arena owns the result; false when it is exhausted.
 */
bool wl_late_evidence_find(const struct wl_late_evidence *of, struct wl_arena *arena,
			   struct wl_late_set *set) WL_MUST_CHECK;

#endif
