/* SPDX-License-Identifier: MIT */
/*
 * straggler_reason.h - the reason for a late arrival at collectives, as far as rows prove it.
 *
 * Its kernels in the sample are compared with those of the other members of its group: by
 * how much longer equal kernels run, how many more there are, and how much longer the GPU
 * is idle. The largest of the three is the reason if it makes up at least half of what the
 * others lose; else no reason is visible.
 */
#ifndef WL_FINDINGS_STRAGGLER_REASON_H
#define WL_FINDINGS_STRAGGLER_REASON_H

#include "derive/comm/matches.h"
#include "findings/docket.h"

struct wl_straggler {
	const struct wl_matches *matches;
	uint32_t group, member;
	size_t gpu; /* that loses most: its sample counts */
	wl_ns lost; /* there, in the sample */
	const char *who;
};

/*
 * What it does, as a clause that begins with its name: "GPU 2 runs the same kernels 15.0%
 * slower (gemm 301.4 us vs 265.1 us)". Sets action and advice of the claim. One pass over
 * the kernels of at most 16 members in the sample. NULL when memory is exhausted.
 */
const char *wl_straggler_reason(struct wl_docket *docket, const struct wl_straggler *s,
				struct wl_claim *claim);

#endif
