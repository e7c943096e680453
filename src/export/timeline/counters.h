/* SPDX-License-Identifier: MIT */
/*
 * counters.h - the share of time in bins, as it changes.
 *
 * Pieces come in order and do not overlap; each has the share of the bin that it covers. A
 * value is written where it differs from the one before, which is 0 at first; the last is
 * 0, at the end.
 */
#ifndef WL_EXPORT_COUNTERS_H
#define WL_EXPORT_COUNTERS_H

#include "derive/rows/scope.h"

enum { WL_COUNTER_BINS = 10000 }; /* at most */

/* A value from a time on, in hundredths of a percent. */
typedef void wl_counter_fn(void *ctx, wl_ns at, int64_t value);

/* The first four members are set, the others zeroed. */
struct wl_counter {
	struct wl_interval window; /* pieces are clipped to it; not empty */
	wl_ns bin;                 /* the last one may be shorter */
	wl_counter_fn *write;
	void *ctx;
	wl_ns at;      /* since the window's begin: the bin under way */
	wl_ns covered; /* of it */
	int64_t value; /* written last */
};

/* At least 1 ms, such that there are not too many: 1, 2 or 5 times a power of ten. */
wl_ns wl_counter_bin(struct wl_interval window);

void wl_counter_put(struct wl_counter *c, wl_ns begin, wl_ns end);
void wl_counter_end(struct wl_counter *c);

#endif
