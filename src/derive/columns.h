/*
 * columns.h - what a lane looks like in a picture: the one function that every timeline
 * draws with, in a terminal, a page or a report.
 *
 * A picture shows [begin, end) in columns. A column's colour is the category with the
 * most time in it, and its share says exactly how much of it is busy; so a stream that
 * is busy 10 % of the time looks 10 % busy at every zoom.
 */
#ifndef WL_DERIVE_COLUMNS_H
#define WL_DERIVE_COLUMNS_H

#include "derive/lane.h"

/* end - begin >= width >= 1: zooming ends at 1 ns per column. */
struct wl_viewport {
	wl_ns begin, end;
	uint32_t width;
};

/* Where column x begins, for 0 <= x <= width: integers that any language can repeat. */
wl_ns wl_viewport_at(const struct wl_viewport *v, uint32_t x);

/* The column that a time lies in; outside the view, the nearest one. */
uint32_t wl_viewport_column(const struct wl_viewport *v, wl_ns t);

struct wl_picture_column {
	uint8_t cat;   /* with the most time; the lowest of several; 0 where share is 0 */
	uint8_t share; /* 0 nothing, else 1..255: busy / length, rounded up */
};

/*
 * Draw. A column that any event touches, also one of no length, has a share of at least
 * 1. Where more than 1024 events start in a column its edges may move by less than 64 of
 * them, in favour of a neighbour. Columns times a logarithm of the lane, whatever lies
 * outside the view.
 */
void wl_lane_draw(const struct wl_lane *lane, const struct wl_viewport *v,
		  struct wl_picture_column *ret);

/*
 * The exact time of each category in each column: ret[x * n_cats + cat], and nothing is
 * moved. Over all columns the sums are those of wl_lane_time().
 */
void wl_lane_columns(const struct wl_lane *lane, const struct wl_viewport *v, wl_ns *ret);

#endif
