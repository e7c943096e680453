/* SPDX-License-Identifier: MIT */
/* iters_notes.h - the notes of iters. */
#ifndef WL_ANALYSIS_ITERS_NOTES_H
#define WL_ANALYSIS_ITERS_NOTES_H

#include "analysis/analysis.h"
#include "derive/idle/idle_before.h"
#include "derive/iters/iters.h"

struct wl_iters_told {
	const struct wl_run *run; /* conventions are noted if they are derived */
	const struct wl_iterations *all;
	struct wl_delayed delayed; /* the iteration with the longest stall before it */
	size_t n_graphs;           /* replays recorded whole in the listed iterations */
	bool is_steady;            /* only steady iterations are listed */
};

/* Put notes on periods, what a step is, the stall, a change, conventions and graphs. False when the
 * arena is exhausted. */
bool wl_iters_put_notes(const struct wl_iters_told *told, struct wl_table *out) WL_MUST_CHECK;

#endif
