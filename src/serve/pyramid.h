/*
 * pyramid.h - which events are worth their bytes where a file cannot hold all: of each row
 * the longest.
 */
#ifndef WL_SERVE_PYRAMID_H
#define WL_SERVE_PYRAMID_H

#include "serve/show.h"

/*
 * For each row a length such that at most so many of its events in what is shown are as long;
 * events that differ by less than an eighth are treated alike. Linear in events.
 */
void wl_pyramid_lengths(const struct wl_show *show, size_t events_per_row, wl_ns *ret);

#endif
