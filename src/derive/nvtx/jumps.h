/* SPDX-License-Identifier: MIT */
/*
 * jumps.h - finds the nearest enclosing range that lasts to a given time.
 *
 * Going up from parent to parent ends only grow, but a hostile trace nests as deep as
 * it has ranges. So each range also knows an ancestor further up, by lengths that
 * double, with which any search takes a logarithm of the depth.
 */
#ifndef WL_DERIVE_JUMPS_H
#define WL_DERIVE_JUMPS_H

#include "base/memory/intern.h"
#include "model/trace.h"

/* By range. The parent of each has a smaller number and ends no earlier. */
struct wl_jumps {
	const wl_ns *end;
	const uint32_t *parent; /* WL_NONE for a root */
	uint32_t *depth;        /* how many ranges are around it */
	uint32_t *jump;         /* an ancestor; a root itself */
};

/* Fill in depth and jump of a range; its end and parent, and all of its parent, are known. */
static inline void wl_jumps_set(const struct wl_jumps *j, uint32_t range)
{
	uint32_t parent = j->parent[range], far;

	j->depth[range] = 0;
	j->jump[range] = range;
	if (parent == WL_NONE)
		return;
	far = j->jump[parent];
	j->depth[range] = j->depth[parent] + 1;
	/* Two jumps of one length become one of twice that and one. */
	j->jump[range] = j->depth[parent] - j->depth[far] == j->depth[far] - j->depth[j->jump[far]]
				 ? j->jump[far]
				 : parent;
}

/* The range, or the nearest around it, that ends at t or later; WL_NONE for none and of WL_NONE. */
static inline uint32_t wl_jumps_lasting(const struct wl_jumps *j, uint32_t range, wl_ns t)
{
	while (range != WL_NONE && j->end[range] < t) {
		uint32_t far = j->jump[range];

		range = far == range || j->end[far] >= t ? j->parent[range] : far;
	}
	return range;
}

#endif
