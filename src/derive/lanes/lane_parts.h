/* SPDX-License-Identifier: MIT */
/*
 * lane_parts.h - internals of lanes, for the sources that build and query them.
 *
 * lane_build.c assigns events to lanes, lane_deal.c lays the lanes out, and lane.c and columns.c
 * compute sums over them.
 */
#ifndef WL_DERIVE_LANE_PARTS_H
#define WL_DERIVE_LANE_PARTS_H

#include "derive/lanes/lane.h"

/* The vectors of wl_lanes and of the builder, which fills only those up to LONG_DUR. */
enum wl_lane_part {
	WL_PART_START,
	WL_PART_DUR,
	WL_PART_REF,
	WL_PART_CAT,
	WL_PART_LEVEL,
	WL_PART_LONG_AT,
	WL_PART_LONG_DUR,
	WL_PART_BEFORE,
	WL_PART_FIRST,
	WL_PART_LONGEST,
	WL_PART_AREA,
	WL_PART_PEAK,
	WL_PART_LANE,
};

/* What the builder keeps per lane. */
struct wl_lane_extent {
	size_t n, n_long;
	size_t next, next_long; /* while dealing: where its next event goes */
};

static inline size_t wl_lane_blocks(size_t n)
{
	return (n + WL_LANE_BLOCK - 1) / WL_LANE_BLOCK;
}

/*
 * The time per category of all events before event i <= n, in ret[n_cats]. Reads at most half a
 * block of events.
 */
void wl_lane_sums_before(const struct wl_lane *lane, size_t i, wl_ns *ret);

/* The first event of [from, n) that starts at t or later. Logarithmic in its distance. */
size_t wl_lane_gallop(const struct wl_lane *lane, size_t from, wl_ns t);

/* The location of the first event that starts at t or later, as far as first[] shows. */
struct wl_lane_place {
	size_t block; /* the last block that begins before t */
	size_t guess; /* an event of that block, near t */
};

/*
 * The place of t in this block or a later one; the first event of this one starts before t.
 * Logarithmic in the distance. Reads no event.
 */
struct wl_lane_place wl_lane_guess(const struct wl_lane *lane, size_t block, wl_ns t);

/* The first event at or after `from` that starts at t or later; it is in the block or just after
 * it. */
size_t wl_lane_bound_near(const struct wl_lane *lane, size_t from, const struct wl_lane_place *p,
			  wl_ns t);

/* The longest of the events [i, j), i < j, the first on a tie. Linear in blocks. */
size_t wl_lane_longest_of(const struct wl_lane *lane, size_t i, size_t j);

#endif
