/* SPDX-License-Identifier: MIT */
/*
 * gpu_metrics.h - what the name of a metric of a GPU or a network adapter says: its unit, and what
 * it counts.
 *
 * Of GPUs nsys writes no unit. Since 2023 names end in one, as in "SMs Active [Throughput %]";
 * older ones are recognised by their words.
 */
#ifndef WL_KNOWN_GPU_METRICS_H
#define WL_KNOWN_GPU_METRICS_H

#include <stdbool.h>
#include <stddef.h>

/* Metrics that other parts of the program look for, in all spellings: gpu_metrics.def. */
enum wl_gpu_metric {
	WL_METRIC_OTHER,
#define WL_GPU_METRIC(ID, brief, spelling) WL_METRIC_##ID,
#define WL_GPU_METRIC_ALSO(ID, spelling)
#include "known/gpus/gpu_metrics.def"
#undef WL_GPU_METRIC
#undef WL_GPU_METRIC_ALSO
	WL_N_GPU_METRICS
};

enum { WL_METRIC_UNIT = 40 };

struct wl_metric_facts {
	enum wl_gpu_metric what;
	size_t length;             /* bytes of the name without the unit */
	char unit[WL_METRIC_UNIT]; /* "%", "MHz", "Avg Warps per Cycle"; "" if the name has none */
	double per;                /* a value of the file over this is in the unit */
	bool is_percent;           /* of what the GPU can do at most */
	double bytes; /* bytes per second that one of the unit is; 0 if it is no rate */
};

struct wl_metric_facts wl_metric_facts_of(const char *name);

/* Of a counter of a network adapter, whose unit has a column of its own; "" where it is empty. */
struct wl_metric_facts wl_nic_metric_facts_of(const char *name, const char *unit);

/* The metric in at most 8 columns: "SM act"; "" of WL_METRIC_OTHER. */
const char *wl_gpu_metric_brief(enum wl_gpu_metric what);

#endif
