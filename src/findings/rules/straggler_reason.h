/* SPDX-License-Identifier: MIT */
/* straggler_reason.h - explains in words why a member is late at collectives, with figures of both
 * sides. */
#ifndef WL_FINDINGS_STRAGGLER_REASON_H
#define WL_FINDINGS_STRAGGLER_REASON_H

#include "analysis/comm/late_say.h"
#include "derive/comm/match/matches.h"
#include "findings/rule_state.h"

struct wl_late_case {
	const struct wl_matches *matches;
	const struct wl_stragglers *all;
	const struct wl_late_set *set;
	const struct wl_straggler *straggler; /* the latest of the set */
	const struct wl_late_words *words;
	size_t gpu; /* the GPU that loses most: its sample counts */
	const char *who;
};

/*
 * What the stragglers do, as a clause that begins with their name: "GPU 2 runs the same kernels
 * 15.2% slower than the others: all kernels take 1.15 times as long as on GPUs 0-3 (gemm 301.4 us
 * vs 265.1 us)". Sets action, advice and evidence of the claim. NULL when memory is exhausted.
 */
const char *wl_straggler_reason(struct wl_rule_state *d, const struct wl_late_case *late,
				struct wl_claim *claim);

#endif
