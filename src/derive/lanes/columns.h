/* SPDX-License-Identifier: MIT */
/*
 * columns.h - draws a lane as columns; all timelines use it, in terminals, pages and reports.
 *
 * A picture shows [begin, end) in columns. A column's colour is the category with the most time in
 * it, and its share says exactly how much of it is busy: a stream that is busy 10% of the time
 * looks 10% busy at every zoom.
 */
#ifndef WL_DERIVE_COLUMNS_H
#define WL_DERIVE_COLUMNS_H

#include "derive/lanes/lane.h"

/* end - begin >= width >= 1: zooming ends at 1 ns per column. Times are within WL_TIME_MAX of 0. */
struct wl_viewport {
	wl_ns begin, end;
	uint32_t width;
};

/*
 * Where column x begins, for 0 <= x <= width: begin + x * q + x * r / width, with q and r the
 * quotient and the remainder of (end - begin) / width, all in integers, reproducible in any
 * language. JavaScript, with 53 bits, reproduces it exactly if end - begin is below 2^53 and width
 * below 2^26, and the share below if a column is shorter than 2^45 ns (9.7 h).
 */
wl_ns wl_viewport_at(const struct wl_viewport *v, uint32_t x);

/* The column that a time lies in, that is, the last that begins no later; outside the view, the
 * nearest. */
uint32_t wl_viewport_column(const struct wl_viewport *v, wl_ns t);

struct wl_picture_column {
	uint8_t cat;   /* with the most time, the lowest on a tie; 0 if there is no time */
	uint8_t share; /* 0 for nothing, else 1..255: 255 * busy / length, rounded up */
};

enum { WL_SNAP_ABOVE = 1024 };

/*
 * Draw into ret[width]. A column that any event touches, even one of no length, has a share of at
 * least 1. If more than WL_SNAP_ABOVE events start in a column, its end may move back by less than
 * a block of events, which go to the next column; no time is lost. Takes columns times a logarithm
 * of the lane, regardless of what lies outside the view.
 */
void wl_lane_draw(const struct wl_lane *lane, const struct wl_viewport *v,
		  struct wl_picture_column *ret);

/*
 * Fill ret[width] with the longest event that has a part in each column, as wl_lane_longest() finds
 * it; WL_NONE for none. Nothing is moved: a column to which wl_lane_draw() moved the rest of the
 * previous one may have a share but no event. Takes columns times a logarithm of the lane, plus the
 * blocks of the view.
 */
void wl_lane_draw_longest(const struct wl_lane *lane, const struct wl_viewport *v, uint32_t *ret);

/*
 * Like wl_lane_draw(), but only the time of one category counts: cat is always that one, and share
 * is 0 if it has no time, whatever else touches the column.
 */
void wl_lane_draw_only(const struct wl_lane *lane, const struct wl_viewport *v, uint8_t cat,
		       struct wl_picture_column *ret);

/*
 * The exact time of each category in each column: sets ret[x * n_cats + cat], and moves nothing.
 * The sums over all columns are those of wl_lane_time().
 */
void wl_lane_columns(const struct wl_lane *lane, const struct wl_viewport *v, wl_ns *ret);

#endif
