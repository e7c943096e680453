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
	const char *name;             /* name of a category or a range, else NULL */
	uint32_t process;             /* process of a step, else WL_NONE */
	uint32_t iter;                /* WL_NONE: outside of all steps */
	const struct wl_interval *at; /* in order; they do not overlap */
	size_t n;
};

struct wl_metric_parts {
	const struct wl_metric_part *part;
	size_t n;
};

/* Adds what finding parts of this kind needs. */
void wl_metric_parts_want(enum wl_metric_by by, struct wl_wanted *wanted);

/*
 * Finds the parts: the window as one part; or the steps of each process on the device and the rest,
 * which add up to the window; or the times when operations of a category run, and "(idle)"; or the
 * GPU spans of NVTX ranges by label. Parts by category and by range may overlap. Parts without time
 * are left out. Owned by the run's arena; false when it is exhausted.
 */
bool wl_metric_parts_find(const struct wl_run *run, enum wl_metric_by by, uint32_t device,
			  struct wl_metric_parts *ret) WL_MUST_CHECK;

#endif
