/* SPDX-License-Identifier: MIT */
/* sampled.h - GPU counters while certain kernels run without a break. */
#ifndef WL_FINDINGS_SAMPLED_H
#define WL_FINDINGS_SAMPLED_H

#include "derive/use/sampled.h"
#include "findings/rule.h"

/* Whether a kernel counts, by its row. */
typedef bool wl_sampled_counts(const struct wl_derived *derived, size_t row);

struct wl_sampled_question {
	enum wl_gpu_metric metric; /* a percentage */
	wl_sampled_counts *counts; /* one of these runs during all of a sample */
	double below;              /* its mean is */
	double of_window;          /* such samples are at least this share of the window */
};

/*
 * The GPU of the rule state on which most of the window is so, with at least WL_SAMPLED_ENOUGH
 * samples: sets gpu and share of the finding. ret->n is 0 where there is none: it was not sampled,
 * or the trace does not say which GPU it is of, or its mean is another. Rules need
 * WL_FROM(METRIC_SERIES). False without memory.
 */
bool wl_sampled_find(const struct wl_rule_state *d, const struct wl_sampled_question *question,
		     struct wl_finding *finding, struct wl_sampled *ret) WL_MUST_CHECK;

#endif
