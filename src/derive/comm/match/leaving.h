/* SPDX-License-Identifier: MIT */
/*
 * leaving.h - how much later than the others a member leaves its collectives.
 *
 * All leave together, as far as transfers end together. The end of each operation is compared with
 * the median end of its match (of an even number the mean of the two in the middle); a member
 * leaves later by the median of that. It is a fact where that is more than 5 us, and more than
 * three times what it scatters.
 */
#ifndef WL_DERIVE_LEAVING_H
#define WL_DERIVE_LEAVING_H

#include "base/attr.h"
#include "base/memory/arena.h"
#include "derive/comm/match/matches.h"

struct wl_leaving {
	wl_ns after; /* < 0: it leaves before them */
	bool is_late;
	size_t n; /* operations that count; 0: nothing is known */
};

/*
 * By member; 0 if unmatched or if clocks are not comparable. Sorts the ends of each match.
 * NULL when the arena is exhausted.
 */
const struct wl_leaving *wl_leaving_find(const struct wl_matches *matches,
					 struct wl_arena *arena) WL_MUST_CHECK;

#endif
