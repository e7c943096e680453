/* SPDX-License-Identifier: MIT */
/*
 * replayed.h - the savings of findings by replay, beside the ledger's upper bound.
 *
 * Each finding with a saving names a what-if scenario (derive/graph/scenario/scenario.h). Replaying
 * it on the selection gives the saving in the run (findings/saves.h). The error is that of replays
 * in general: the 90th percentile over steps replayed with the times of other steps, relative to
 * the remaining time. wl_replayed has the same per step, as in whatif, and never more than the
 * bound. If the trace cannot be replayed, findings keep their bound.
 *
 * The numbers of a list add up. The finding with the largest score (findings/saves.h) comes first,
 * then repeatedly the one with the largest score for its additional saving. The five largest are
 * replayed with the scenarios of those before them applied; the others, and findings without a
 * scenario, save at most the rest of the run. Together they never exceed the run. A cause, which is
 * a straggler or a call that empties the launch queue every few kernels, goes before the findings
 * that it delays.
 */
#ifndef WL_FINDINGS_REPLAYED_H
#define WL_FINDINGS_REPLAYED_H

#include "findings/rule_state.h"

enum { WL_MOST_REPLAYS = 10 }; /* those with the largest bounds; each replay is a pass over all */

/*
 * Replay the findings with a saving of at least this share of the step or window, and put all
 * savings into words. A remark says why the trace is not replayed. The run has WL_FROM(WHATIF).
 * False when its arena is exhausted.
 */
bool wl_findings_replay(struct wl_rule_state *d, double least_share,
			struct wl_table *out) WL_MUST_CHECK;

#endif
