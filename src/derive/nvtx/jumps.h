/* SPDX-License-Identifier: MIT */
/*
 * jumps.h - finds the nearest enclosing range that lasts to a given time.
 *
 * Ends only grow from parent to parent, but a hostile trace nests as deep as it has ranges. Each
 * range therefore also stores a jump to an ancestor further up. Jump lengths double, so that any
 * search is logarithmic in the depth.
 */
#ifndef WL_DERIVE_JUMPS_H
#define WL_DERIVE_JUMPS_H

#include "base/memory/intern.h"
#include "model/trace.h"

/* Arrays by range. The parent of a range has a smaller number and ends no earlier. */
struct wl_jumps {
	const wl_ns *end;
	const uint32_t *parent; /* WL_NONE for a root */
	uint32_t *depth;        /* number of ranges around it */
	uint32_t *jump;         /* an ancestor; for a root, the root itself */
};

/* Set depth and jump of a range. Its end and parent, and all members of the parent, are set
 * already. */
static inline void wl_jumps_set(const struct wl_jumps *j, uint32_t range)
{
	uint32_t parent = j->parent[range], far;

	j->depth[range] = 0;
	j->jump[range] = range;
	if (parent == WL_NONE)
		return;
	far = j->jump[parent];
	j->depth[range] = j->depth[parent] + 1;
	/* Two jumps of equal length become one of twice that length plus one. */
	j->jump[range] = j->depth[parent] - j->depth[far] == j->depth[far] - j->depth[j->jump[far]]
				 ? j->jump[far]
				 : parent;
}

/* The range, or the nearest one around it, that ends at t or later; WL_NONE if there is none or the
 * range is WL_NONE. */
static inline uint32_t wl_jumps_lasting(const struct wl_jumps *j, uint32_t range, wl_ns t)
{
	while (range != WL_NONE && j->end[range] < t) {
		uint32_t far = j->jump[range];

		range = far == range || j->end[far] >= t ? j->parent[range] : far;
	}
	return range;
}

#endif
