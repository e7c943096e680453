/* SPDX-License-Identifier: MIT */
/*
 * lane_parts.h - the inside of lanes, for the sources that make them and look into them.
 *
 * lane_build.c gives events their lanes, lane_deal.c lays them out; lane.c and columns.c
 * take sums of them.
 */
#ifndef WL_DERIVE_LANE_PARTS_H
#define WL_DERIVE_LANE_PARTS_H

#include "derive/lanes/lane.h"

/* The vectors of wl_lanes and of the builder, which fills those up to LONG_DUR. */
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
 * The time per category of all events before event i <= n, in ret[n_cats]. Looks at no more
 * than half a block of events.
 */
void wl_lane_sums_before(const struct wl_lane *lane, size_t i, wl_ns *ret);

/* The first event of [from, n) that starts at t or later. A logarithm of how far it is. */
size_t wl_lane_gallop(const struct wl_lane *lane, size_t from, wl_ns t);

/* Where the first event that starts at t or later is, as far as first[] shows. */
struct wl_lane_place {
	size_t block; /* the last that begins before t */
	size_t guess; /* an event of it, near where t is */
};

/*
 * The place of t in this block or a later one; the first event of this one starts before t. A
 * logarithm of how far it is. Looks at no event.
 */
struct wl_lane_place wl_lane_guess(const struct wl_lane *lane, size_t block, wl_ns t);

/* The first event from there on that starts at t or later, which is in the block or ends it. */
size_t wl_lane_bound_near(const struct wl_lane *lane, size_t from, const struct wl_lane_place *p,
			  wl_ns t);

/* The longest of the events [i, j), i < j, the first of several. Linear in blocks. */
size_t wl_lane_longest_of(const struct wl_lane *lane, size_t i, size_t j);

#endif
