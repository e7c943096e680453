/* SPDX-License-Identifier: MIT */
/*
 * arrivals.h - the operations of each match, and how much later than the median member each came.
 *
 * Of an even number of members the median is the earlier of the two in the middle: half of them
 * may be late at once. An MPI call between two ranks is compared with the calls at the other ends
 * of its messages.
 */
#ifndef WL_DERIVE_ARRIVALS_H
#define WL_DERIVE_ARRIVALS_H

#include "derive/comm/match/matches.h"

struct wl_arrivals {
	const uint32_t *first; /* by match, and once more: its operations */
	const uint32_t *op;    /* of the queues, by match */
	const wl_ns *median;   /* by match of a collective: how long before the last member the
				  median one arrived */
};

/* Linear in matched operations. Owned by the arena; false when that is exhausted. */
bool wl_arrivals_find(const struct wl_matches *matches, struct wl_arena *arena,
		      struct wl_arrivals *ret) WL_MUST_CHECK;

/*
 * How much later than the median member an operation of the queues came; 0 where it was earlier,
 * is not matched, or clocks are not comparable.
 */
wl_ns wl_arrival_lateness(const struct wl_matches *matches, const struct wl_arrivals *arrivals,
			  size_t op);

#endif
