/*
 * pyramid.h - which events are worth their bytes where a file cannot hold all: of each row
 * the longest. What accounts are made of, the rows GPU, ITERATIONS and GAPS, is kept whole
 * as long as that can be.
 */
#ifndef WL_SERVE_PYRAMID_H
#define WL_SERVE_PYRAMID_H

#include "serve/show.h"

struct wl_pyramid_share {
	size_t n;           /* events of a row */
	bool without_whole; /* rows that accounts are made of have no more either */
};

/*
 * For each row a length such that at most so many of its events in what is shown are as long,
 * 0 where all are kept; events that differ by less than an eighth are treated alike. Linear in
 * events.
 */
void wl_pyramid_lengths(const struct wl_show *show, const struct wl_pyramid_share *share,
			wl_ns *ret);

#endif
