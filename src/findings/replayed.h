/* SPDX-License-Identifier: MIT */
/*
 * replayed.h - what findings save by replay, beside the upper bound of the ledger.
 *
 * Each finding with a saving names a what-if scenario (derive/graph/scenario.h), which is replayed
 * on what is selected. Of findings per step the saving is that of the mean step, as whatif has it.
 * The error is that of replays in general: the 90th percentile over steps that are replayed with
 * the times of other steps, of the time that is left. A scenario may also save time that other
 * findings claim: no finding gets more than its bound, so that no two have the same time. Where the
 * trace cannot be replayed, findings keep their bound.
 */
#ifndef WL_FINDINGS_REPLAYED_H
#define WL_FINDINGS_REPLAYED_H

#include "findings/docket.h"

enum { WL_MOST_REPLAYS = 10 }; /* findings with the largest bounds; a replay is a pass over all */

/*
 * Replay the findings with a saving of at least so large a share of the step or window, and put
 * all savings into words. Says in a remark why the trace, or a finding, is not replayed.
 * The run has WL_FROM(WHATIF). False when its arena is exhausted.
 */
bool wl_findings_replay(struct wl_docket *docket, double least_share,
			struct wl_table *out) WL_MUST_CHECK;

#endif
