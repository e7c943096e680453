/* SPDX-License-Identifier: MIT */
/* sampled.h - GPU counters over the samples inside a set of intervals, or outside it. */
#ifndef WL_DERIVE_SAMPLED_H
#define WL_DERIVE_SAMPLED_H

#include "base/attr.h"
#include "base/memory/arena.h"
#include "derive/kinds/intervals.h"
#include "known/gpus/gpu_metrics.h"

struct wl_derived;

/* Fewer samples prove nothing. */
enum { WL_SAMPLED_ENOUGH = 20 };

/* Samples of a device. */
struct wl_sampled {
	size_t n;
	wl_ns time;  /* total time of the samples */
	double mean; /* of their values, weighted by time */
};

/*
 * By device: its first series of the metric, a percentage; WL_NONE for none. NULL when the arena is
 * exhausted. Wants METRIC_SERIES, like the functions below.
 */
const uint32_t *wl_sampled_series(const struct wl_derived *given, enum wl_gpu_metric metric,
				  struct wl_arena *arena);

/* The samples of a series that lie entirely inside the intervals. Linear in samples. */
struct wl_sampled wl_sampled_inside(const struct wl_derived *given, uint32_t series,
				    const struct wl_intervals *of);

/* The samples inside the window and outside the intervals. */
struct wl_sampled wl_sampled_outside(const struct wl_derived *given, uint32_t series,
				     const struct wl_intervals *of, struct wl_interval window);

#endif
