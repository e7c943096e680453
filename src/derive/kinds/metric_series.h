/* SPDX-License-Identifier: MIT */
/*
 * metric_series.h - samples of counters, in order of time: one series for each metric of each GPU
 * and of each port of a network adapter.
 *
 * A sample holds from its time to the next sample's, or to its own end: see
 * docs/definitions/metrics.md.
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
	const uint32_t *row;       /* by sample: row of its series' family */
	const wl_ns *period;    /* by series: median distance of samples; 0 with fewer than two */
	const uint32_t *device; /* by series: its device; WL_NONE if none or several */
	const bool *is_near;    /* by file and device: a process of the file used the device */
};

/* The meaning of a series, and its unit. */
struct wl_metric_facts wl_metric_series_facts(const struct wl_trace *trace, uint32_t series);

/*
 * A network adapter port as NCCL writes it, "mlx5_0:1", or just the adapter if the export does not
 * say which port. The series must be that of an adapter.
 */
enum { WL_NIC_LABEL = 80 };
const char *wl_metric_nic_label(const struct wl_trace *trace, uint32_t series,
				char label[WL_NIC_LABEL]);

/* Whether a process in the series' file ran operations on the device. */
static inline bool wl_metric_is_near(const struct wl_trace *trace,
				     const struct wl_metric_series *all, uint32_t series,
				     uint32_t device)
{
	return all->is_near[trace->series[series].file * trace->n_devices + device];
}

/*
 * Owned by the arena; false when that is exhausted. Linear in samples if those of each series are
 * in order.
 */
bool wl_metric_series_find(const struct wl_derived *given, struct wl_arena *arena,
			   struct wl_metric_series *ret) WL_MUST_CHECK;

struct wl_metric_sample {
	wl_ns begin, end; /* empty if it is unknown how long it holds */
	int64_t value;
};

/* Sample i of the series; i must lie in its slice. */
struct wl_metric_sample wl_metric_sample_at(const struct wl_trace *trace,
					    const struct wl_metric_series *all, uint32_t series,
					    size_t i);

/* The first sample of the series that ends after a time; the end of its slice if none does. */
size_t wl_metric_sample_after(const struct wl_trace *trace, const struct wl_metric_series *all,
			      uint32_t series, wl_ns time);

/* The selection of a scope for series without a device, found once for all of them. */
struct wl_metric_scope {
	const struct wl_scope *scope;
	bool all_on;            /* all devices are selected */
	struct wl_interval all; /* from the first begin to the last end of all devices */
	const bool *near_on;    /* by file: a device near its adapters is selected */
	const struct wl_interval
		*near; /* by file: the same for selected devices near its adapters */
};

/* Owned by the arena; false when that is exhausted. Linear in files times devices. */
bool wl_metric_scope_find(const struct wl_trace *trace, const struct wl_metric_series *all,
			  const struct wl_scope *scope, struct wl_arena *arena,
			  struct wl_metric_scope *ret) WL_MUST_CHECK;

/*
 * Whether the scope selects the series: by its device, for a network adapter by a device near it,
 * or if all devices are selected.
 */
bool wl_metric_series_is_on(const struct wl_trace *trace, const struct wl_metric_series *all,
			    const struct wl_metric_scope *scope, uint32_t series);

/*
 * The window of the series' device. Without a device, it reaches from the first start to the last
 * end of all devices' windows, for a network adapter of those of the selected devices near it; if
 * there are none, it is the extent of the samples. May be empty. The series must have samples.
 */
struct wl_interval wl_metric_window(const struct wl_trace *trace,
				    const struct wl_metric_series *all,
				    const struct wl_metric_scope *scope, uint32_t series);

/* The samples of the series that hold in some part of a non-empty window. Logarithmic. */
struct wl_slice wl_metric_samples_in(const struct wl_trace *trace,
				     const struct wl_metric_series *all, uint32_t series,
				     struct wl_interval window);

/* Summary of a metric over some time. */
struct wl_metric_sum {
	size_t samples;   /* number that hold in some part of it */
	wl_ns covered;    /* time in which a sample holds */
	wl_u128 area;     /* sum of value times nanoseconds; mean = area / covered */
	int64_t min, max; /* these and below are 0 if nothing is covered */
	int64_t p50, p90; /* the lowest value not exceeded for this share of `covered` */
};

/*
 * Measure the metric over n ordered, disjoint intervals. Logarithmic in the samples of the series
 * for each interval; sorts the samples covered. False when the arena is exhausted.
 */
bool wl_metric_measure(const struct wl_trace *trace, const struct wl_metric_series *all,
		       uint32_t series, const struct wl_interval *at, size_t n,
		       struct wl_arena *arena, struct wl_metric_sum *ret) WL_MUST_CHECK;

static inline double wl_metric_mean(const struct wl_metric_sum *sum)
{
	return sum->covered ? (double)sum->area / (double)sum->covered : 0;
}

#endif
