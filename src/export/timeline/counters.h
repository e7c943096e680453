/* SPDX-License-Identifier: MIT */
/*
 * counters.h - the covered share of time per bin, as a counter.
 *
 * Pieces come in order and do not overlap; a bin's value is the share of it that they cover. A
 * value is written where it differs from the one before, which is 0 at first; the last value, at
 * the end, is 0.
 */
#ifndef WL_EXPORT_COUNTERS_H
#define WL_EXPORT_COUNTERS_H

#include "derive/rows/scope.h"

enum { WL_COUNTER_BINS = 10000 }; /* at most */

/* The counter has this value from a time on, in hundredths of a percent. */
typedef void wl_counter_fn(void *ctx, wl_ns at, int64_t value);

/* The caller sets the first four members and zeroes the others. */
struct wl_counter {
	struct wl_interval window; /* pieces are clipped to it; not empty */
	wl_ns bin;                 /* the last one may be shorter */
	wl_counter_fn *write;
	void *ctx;
	wl_ns at;      /* begin of the current bin, since the window's */
	wl_ns covered; /* of it */
	int64_t value; /* written last */
};

/* The bin length: 1, 2 or 5 times a power of ten, at least 1 ms and long enough to limit the number
 * of bins. */
wl_ns wl_counter_bin(struct wl_interval window);

void wl_counter_put(struct wl_counter *c, wl_ns begin, wl_ns end);
void wl_counter_end(struct wl_counter *c);

#endif
