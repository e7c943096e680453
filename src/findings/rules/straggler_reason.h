/* SPDX-License-Identifier: MIT */
/* straggler_reason.h - why a member is late at collectives, in words, with numbers of both sides.
 */
#ifndef WL_FINDINGS_STRAGGLER_REASON_H
#define WL_FINDINGS_STRAGGLER_REASON_H

#include "derive/comm/matches.h"
#include "derive/graph/late.h"
#include "findings/docket.h"

struct wl_late_case {
	const struct wl_matches *matches;
	const struct wl_straggler *straggler;
	size_t gpu; /* that loses most: its sample counts */
	const char *who;
};

/*
 * What it does, as a clause that begins with its name: "GPU 2 runs the same kernels 15.0%
 * slower (gemm 301.4 us vs 265.1 us)". Sets action, advice and evidence of the claim. NULL when
 * memory is exhausted.
 */
const char *wl_straggler_reason(struct wl_docket *docket, const struct wl_late_case *late,
				struct wl_claim *claim);

#endif
