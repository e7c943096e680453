/* SPDX-License-Identifier: MIT */
/*
 * clock_line.h - the line between two clocks that saw the same events, by Theil and Sen.
 *
 * The slope is the median of the slopes between any two samples, the offset the median of
 * what is left: a quarter of the events may be anything. With fewer than WL_DRIFT_EVENTS
 * there is no slope, however long they last.
 */
#ifndef WL_DERIVE_CLOCK_LINE_H
#define WL_DERIVE_CLOCK_LINE_H

#include "base/attr.h"
#include "base/memory/arena.h"
#include "model/trace.h"

enum {
	WL_LINE_SAMPLES = 200, /* events that the slope is taken of, evenly spaced */
	WL_DRIFT_EVENTS = 20,
	WL_CLOCK_TICK_NS = 1000, /* some clocks count microseconds */
};

/* The time t of the second clock is t - (offset + slope * (t - at)) on the first. */
struct wl_clock_line {
	wl_ns at, offset;
	double slope;
};

wl_ns wl_clock_aligned(const struct wl_clock_line *line, wl_ns t);

/*
 * Event i was at first[i] and at second[i], ascending; n > 0. Quadratic in samples, which
 * are at most WL_LINE_SAMPLES, and linear in events. False when memory is exhausted.
 */
bool wl_clock_line_fit(const wl_ns *first, const wl_ns *second, size_t n, struct wl_arena *arena,
		       struct wl_clock_line *ret) WL_MUST_CHECK;

#endif
