/* SPDX-License-Identifier: MIT */
/* sampled.h - GPU counters while certain kernels run without a pause. */
#ifndef WL_FINDINGS_SAMPLED_H
#define WL_FINDINGS_SAMPLED_H

#include "derive/use/sampled.h"
#include "findings/rule.h"

/* Whether the kernel in this row counts. */
typedef bool wl_sampled_counts(const struct wl_derived *derived, size_t row);

struct wl_sampled_question {
	enum wl_gpu_metric metric; /* a percentage */
	wl_sampled_counts *counts; /* such a kernel runs during all of a sample */
	double below;              /* the mean must be below this */
	double of_window;          /* samples must make up at least this share of the window */
};

/*
 * Find the GPU of the rule state with the largest share of the window in such samples, and at least
 * WL_SAMPLED_ENOUGH of them; sets gpu and share of the finding. ret->n is 0 if there is none: the
 * metric was not sampled, the trace does not say which GPU it belongs to, or the mean is not below.
 * Rules need WL_FROM(METRIC_SERIES). False without memory.
 */
bool wl_sampled_find(const struct wl_rule_state *d, const struct wl_sampled_question *question,
		     struct wl_finding *finding, struct wl_sampled *ret) WL_MUST_CHECK;

#endif
