/* SPDX-License-Identifier: MIT */
/*
 * replayed.h - what findings save by replay, beside the upper bound of the ledger.
 *
 * Each finding with a saving names a what-if scenario (derive/graph/scenario/scenario.h), which is
 * replayed on what is selected: that gives what it saves of the run (findings/saves.h). The error
 * is that of replays in general: the 90th percentile over steps that are replayed with the times of
 * other steps, of the time that is left. wl_replayed has the same of a step, as whatif has it, and
 * never more than the bound. Where the trace cannot be replayed, findings keep their bound.
 *
 * Numbers of a list add up. First comes the finding with the largest score (findings/saves.h); then
 * each time the one with the largest score of what it saves besides: the five largest are replayed
 * with the scenarios of those before it applied, the rest and what has no scenario save at most
 * what is left of the run. They never exceed the run together. A cause goes before what
 * it makes late: a straggler, and a call that empties the launch queue every few kernels.
 */
#ifndef WL_FINDINGS_REPLAYED_H
#define WL_FINDINGS_REPLAYED_H

#include "findings/rule_state.h"

enum { WL_MOST_REPLAYS = 10 }; /* findings with the largest bounds; a replay is a pass over all */

/*
 * Replay the findings with a saving of at least so large a share of the step or window, and put
 * all savings into words. Says in a remark why the trace, or a finding, is not replayed.
 * The run has WL_FROM(WHATIF). False when its arena is exhausted.
 */
bool wl_findings_replay(struct wl_rule_state *d, double least_share,
			struct wl_table *out) WL_MUST_CHECK;

#endif
