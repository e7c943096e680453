/* SPDX-License-Identifier: MIT */
/*
 * late_verdict.h - whether a job has stragglers, and how far that is known: the one place that
 * decides. Every verb, rule and page that speaks of a late rank reads struct wl_stragglers.
 *
 * Stragglers are named by replays (straggler.h). Where no replay of the trace is to be trusted
 * (held_out.h), or where none of the suspects saves anything while operations are held by nothing
 * that is known (rank_holds.h), no rank is named and what a late rank costs is unknown. The
 * saving is a lower bound where the replay of no-straggler says so, or where too much of the path
 * keeps its time.
 */
#ifndef WL_DERIVE_LATE_VERDICT_H
#define WL_DERIVE_LATE_VERDICT_H

#include "derive/graph/late/straggler.h"

/*
 * Where a rank is suspected, also the replays of held_out.h. Owned by the arena; false when that
 * is exhausted.
 */
bool wl_stragglers_find(const struct wl_derived *given, struct wl_arena *arena,
			struct wl_stragglers *ret) WL_MUST_CHECK;

#endif
