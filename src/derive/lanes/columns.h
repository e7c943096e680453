/* SPDX-License-Identifier: MIT */
/*
 * columns.h - the picture of a lane: the one function that every timeline draws with,
 * in a terminal, a page or a report.
 *
 * A picture shows [begin, end) in columns. A column's colour is the category with the
 * most time in it, and its share says exactly how much of it is busy; so a stream that
 * is busy 10% of the time looks 10% busy at every zoom.
 */
#ifndef WL_DERIVE_COLUMNS_H
#define WL_DERIVE_COLUMNS_H

#include "derive/lanes/lane.h"

/* end - begin >= width >= 1: zooming ends at 1 ns per column. Within WL_TIME_MAX of 0. */
struct wl_viewport {
	wl_ns begin, end;
	uint32_t width;
};

/*
 * Where column x begins, for 0 <= x <= width: begin + x * q + x * r / width, with q and r the
 * quotient and the remainder of (end - begin) / width, all in integers that any language can
 * repeat. JavaScript, which has 53 bits, repeats it to the bit where end - begin is below
 * 2^53 and width below 2^26; the share below, where a column is shorter than 2^45 ns (9.7 h).
 */
wl_ns wl_viewport_at(const struct wl_viewport *v, uint32_t x);

/* The column that a time lies in, the last that begins no later; outside the view the nearest. */
uint32_t wl_viewport_column(const struct wl_viewport *v, wl_ns t);

struct wl_picture_column {
	uint8_t cat;   /* with the most time; the lowest of several, so 0 where there is no time */
	uint8_t share; /* 0 nothing, else 1..255: 255 * busy / length, rounded up */
};

enum { WL_SNAP_ABOVE = 1024 };

/*
 * Draw: ret[width]. A column that any event touches, also one of no length, has a share of at least
 * 1. Where more than WL_SNAP_ABOVE events start in a column its end may move back by less than
 * a block of them, which the next column gets: so no time is lost. Columns times a logarithm of the
 * lane, whatever lies outside the view.
 */
void wl_lane_draw(const struct wl_lane *lane, const struct wl_viewport *v,
		  struct wl_picture_column *ret);

/*
 * The longest event that has a part in each column, as wl_lane_longest() has it: ret[width],
 * WL_NONE where there is none. Nothing is moved, so a column to which wl_lane_draw() moved the
 * rest of the one before may have none and a share all the same. Columns times a logarithm of the
 * lane, and blocks of the view.
 */
void wl_lane_draw_longest(const struct wl_lane *lane, const struct wl_viewport *v, uint32_t *ret);

/*
 * The same, but the time of one category alone counts: cat is always that one, and share is 0 where
 * it has no time, whatever else touches the column.
 */
void wl_lane_draw_only(const struct wl_lane *lane, const struct wl_viewport *v, uint8_t cat,
		       struct wl_picture_column *ret);

/*
 * The exact time of each category in each column: ret[x * n_cats + cat] is set, and nothing
 * is moved. Over all columns the sums are those of wl_lane_time().
 */
void wl_lane_columns(const struct wl_lane *lane, const struct wl_viewport *v, wl_ns *ret);

#endif
