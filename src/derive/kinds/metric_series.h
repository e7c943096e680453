/* SPDX-License-Identifier: MIT */
/*
 * metric_series.h - samples of counters: each metric of each GPU, and of each port of a network
 * adapter, in order of time.
 *
 * Defined in docs/definitions/metrics.md: a sample holds from its time to that of the next one, or
 * to its own end.
 */
#ifndef WL_DERIVE_METRIC_SERIES_H
#define WL_DERIVE_METRIC_SERIES_H

#include "base/attr.h"
#include "base/memory/arena.h"
#include "base/num.h"
#include "derive/rows/scope.h"
#include "derive/rows/slices.h"
#include "known/gpus/gpu_metrics.h"
#include "model/trace.h"

struct wl_derived;

struct wl_metric_series {
	const struct wl_slice *of; /* by series of the trace: its samples */
	const uint32_t *row;       /* by sample: row of the family that the series is of */
	const wl_ns *period;       /* by series: median distance of samples; 0 below two */
	const uint32_t *device;    /* by series: its device; WL_NONE if none or several are it */
	const bool *is_near;       /* by file and device: a process of the file used the device */
};

/* What the series counts, and its unit. */
struct wl_metric_facts wl_metric_series_facts(const struct wl_trace *trace, uint32_t series);

/*
 * A port of a network adapter as NCCL writes it, "mlx5_0:1", or the adapter where the export does
 * not say which port; the series is of one.
 */
enum { WL_NIC_LABEL = 80 };
const char *wl_metric_nic_label(const struct wl_trace *trace, uint32_t series,
				char label[WL_NIC_LABEL]);

/* Whether a process of the file that the series is of ran operations on the device. */
static inline bool wl_metric_is_near(const struct wl_trace *trace,
				     const struct wl_metric_series *all, uint32_t series,
				     uint32_t device)
{
	return all->is_near[trace->series[series].file * trace->n_devices + device];
}

/*
 * Owned by the arena; false when that is exhausted. Linear in samples where those of a series are
 * in order.
 */
bool wl_metric_series_find(const struct wl_derived *given, struct wl_arena *arena,
			   struct wl_metric_series *ret) WL_MUST_CHECK;

struct wl_metric_sample {
	wl_ns begin, end; /* empty where nothing says how long it holds */
	int64_t value;
};

/* Sample i of the series; i lies in its slice. */
struct wl_metric_sample wl_metric_sample_at(const struct wl_trace *trace,
					    const struct wl_metric_series *all, uint32_t series,
					    size_t i);

/* The first sample of the series that ends after a time; the end of its slice if none does. */
size_t wl_metric_sample_after(const struct wl_trace *trace, const struct wl_metric_series *all,
			      uint32_t series, wl_ns time);

/* What a scope says of series that have no device, found once for all of them. */
struct wl_metric_scope {
	const struct wl_scope *scope;
	bool all_on;                    /* all devices are selected */
	struct wl_interval all;         /* from the first begin to the last end of all devices */
	const bool *near_on;            /* by file: a device near its adapters is selected */
	const struct wl_interval *near; /* by file: the same of selected devices near them */
};

/* Owned by the arena; false when that is exhausted. Linear in files times devices. */
bool wl_metric_scope_find(const struct wl_trace *trace, const struct wl_metric_series *all,
			  const struct wl_scope *scope, struct wl_arena *arena,
			  struct wl_metric_scope *ret) WL_MUST_CHECK;

/*
 * Whether the scope selects the series: its device; of a network adapter a device near it; or all
 * devices where there is none.
 */
bool wl_metric_series_is_on(const struct wl_trace *trace, const struct wl_metric_series *all,
			    const struct wl_metric_scope *scope, uint32_t series);

/*
 * The window of the device that the series is of. Where it has none, that from the first begin to
 * the last end of all devices, of a network adapter of those near it that the scope selects; where
 * there are none, that of its samples. May be empty. The series
 * has samples.
 */
struct wl_interval wl_metric_window(const struct wl_trace *trace,
				    const struct wl_metric_series *all,
				    const struct wl_metric_scope *scope, uint32_t series);

/* The samples of the series that hold in a part of a window, which is not empty. Logarithmic. */
struct wl_slice wl_metric_samples_in(const struct wl_trace *trace,
				     const struct wl_metric_series *all, uint32_t series,
				     struct wl_interval window);

/* What a metric was in some time. */
struct wl_metric_sum {
	size_t samples;   /* that hold in a part of it */
	wl_ns covered;    /* time in which one holds */
	wl_u128 area;     /* sum of value times nanoseconds; mean = area / covered */
	int64_t min, max; /* the others are 0 where nothing is covered */
	int64_t p50, p90; /* the lowest value that is not exceeded in this share of covered */
};

/*
 * The metric in n intervals, which are in order and do not overlap. Logarithmic in the samples of
 * the series for each interval, and sorts those that are covered. False when the arena is
 * exhausted.
 */
bool wl_metric_measure(const struct wl_trace *trace, const struct wl_metric_series *all,
		       uint32_t series, const struct wl_interval *at, size_t n,
		       struct wl_arena *arena, struct wl_metric_sum *ret) WL_MUST_CHECK;

static inline double wl_metric_mean(const struct wl_metric_sum *sum)
{
	return sum->covered ? (double)sum->area / (double)sum->covered : 0;
}

#endif
