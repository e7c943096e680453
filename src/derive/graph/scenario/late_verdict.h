/* SPDX-License-Identifier: MIT */
/*
 * late_verdict.h - decides whether a job has stragglers, and with what certainty. Every verb, rule
 * and page that mentions a late rank reads struct wl_stragglers.
 *
 * Stragglers are named by replays (straggler.h). If no replay of the trace can be trusted
 * (held_out.h), or if no suspect saves anything while operations are held for unknown reasons
 * (rank_holds.h), no rank is named and the cost of a late rank is unknown. The saving is a lower
 * bound if the replay of no-straggler says so or if too much of the path keeps its time.
 */
#ifndef WL_DERIVE_LATE_VERDICT_H
#define WL_DERIVE_LATE_VERDICT_H

#include "derive/graph/late/straggler.h"

/*
 * If a rank is suspected, this also runs the replays of held_out.h. The arena owns the result;
 * false when it is exhausted.
 */
bool wl_stragglers_find(const struct wl_derived *given, struct wl_arena *arena,
			struct wl_stragglers *ret) WL_MUST_CHECK;

#endif
