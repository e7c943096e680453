/* SPDX-License-Identifier: MIT */
/*
 * pyramid.h - chooses the events of a file that cannot hold all: the longest of each row. The
 * rows that accounts are made of, GPU, ITERATIONS and GAPS, stay whole as long as possible.
 */
#ifndef WL_SERVE_PYRAMID_H
#define WL_SERVE_PYRAMID_H

#include "serve/shown/show.h"

struct wl_pyramid_share {
	size_t n;           /* events of a row */
	bool without_whole; /* rows that accounts are made of have no more either */
};

/*
 * For each row a cut such that about that many of its events in what is shown are left, or all.
 * Events that differ by less than an eighth are treated alike: where those that a cut falls on are
 * too many, some of them are kept all over the row. Linear in events.
 */
void wl_pyramid_cut(const struct wl_show *show, const struct wl_pyramid_share *share,
		    struct wl_cut *ret);

#endif
