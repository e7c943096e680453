/* SPDX-License-Identifier: MIT */
/* metric_parts.h - the window of a device in parts: steps, categories of work, NVTX ranges. */
#ifndef WL_ANALYSIS_METRIC_PARTS_H
#define WL_ANALYSIS_METRIC_PARTS_H

#include "analysis/analysis.h"

enum wl_metric_by {
	WL_METRIC_BY_METRIC,
	WL_METRIC_BY_STEP,
	WL_METRIC_BY_CATEGORY,
	WL_METRIC_BY_RANGE
};

struct wl_metric_part {
	const char *name;             /* of a category or a range, else NULL */
	uint32_t process;             /* of a step, else WL_NONE */
	uint32_t iter;                /* WL_NONE: outside of all steps */
	const struct wl_interval *at; /* in order; they do not overlap */
	size_t n;
};

struct wl_metric_parts {
	const struct wl_metric_part *part;
	size_t n;
};

/* What a kind of part is found from. */
void wl_metric_parts_want(enum wl_metric_by by, struct wl_wanted *wanted);

/*
 * The window as one part; or cut by the steps of each process on the device, and the rest of it,
 * which add up to the window; or the times in which operations of a category run, and "(idle)"; or
 * the GPU spans of NVTX ranges by label. Those of categories and ranges may overlap. Parts without
 * time are left out. Owned by the run's arena; false when that is exhausted.
 */
bool wl_metric_parts_find(const struct wl_run *run, enum wl_metric_by by, uint32_t device,
			  struct wl_metric_parts *ret) WL_MUST_CHECK;

#endif
