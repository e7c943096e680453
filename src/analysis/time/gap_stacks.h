/* SPDX-License-Identifier: MIT */
/* gap_stacks.h - the function in which the launching thread spent most of a gap. */
#ifndef WL_ANALYSIS_GAP_STACKS_H
#define WL_ANALYSIS_GAP_STACKS_H

#include "analysis/analysis.h"
#include "derive/use/stack_sums.h"

/* Sums by frame of one gap; they are stamped, not cleared. */
struct wl_frame_tally {
	uint64_t gap;
	wl_ns sum;
};

/* For the gaps of one device, one after another. */
struct wl_gap_stacks {
	const struct wl_trace *trace;
	const struct wl_thread_stacks *stacks; /* NULL: not asked for */
	struct wl_frame_tally *tally;          /* by frame */
	uint64_t n_gaps;
};

struct wl_gap_top {
	uint32_t frame; /* WL_NONE: no stack in the gap */
	wl_ns time;     /* in it */
};

/* Without the derivation thread_stacks every gap has no frame. False without memory. */
bool wl_gap_stacks_init(struct wl_gap_stacks *g, const struct wl_run *run,
			struct wl_arena *arena) WL_MUST_CHECK;

/*
 * Of the part of the gap in the window, with the causes of the account (WL_STACK_CAUSES). Of equal
 * ones the first.
 */
struct wl_gap_top wl_gap_stacks_top(struct wl_gap_stacks *g, const struct wl_gap *gap,
				    struct wl_interval window);

#endif
