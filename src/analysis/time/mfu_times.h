/* SPDX-License-Identifier: MIT */
/* mfu_times.h - three times of steps, and the FLOPs that kernels executed in them, for mfu. */
#ifndef WL_ANALYSIS_MFU_TIMES_H
#define WL_ANALYSIS_MFU_TIMES_H

#include "analysis/ncu_join.h"
#include "analysis/time/mfu_inputs.h"

/* Sums over pieces: a step, a range or a stage on one GPU. */
struct wl_mfu_times {
	size_t pieces;   /* number of pieces; 0: the region has no time to divide by */
	wl_ns wall;      /* a step: its period; a range: first start to last end; a stage: 0 */
	wl_ns busy;      /* union of all operations */
	wl_ns kernels;   /* sum of compute kernels */
	size_t n_graphs; /* replays recorded whole: if any, kernels is too small */
	double flops;    /* FLOPs executed by measured kernels of all pieces; only with a join */
	wl_ns measured;  /* time of kernels whose FLOPs are known */
};

/*
 * Times by step, for steps of selected devices that are entirely in the window and have a period. A
 * step's kernels are those that start in it. *ret_n is one more than the last index. NULL when
 * memory is exhausted. Needs ITER_ACCOUNTS. join has the FLOPs of kernels; NULL for none.
 */
const struct wl_mfu_times *wl_mfu_steps_find(const struct wl_run *run,
					     const struct wl_ncu_join *join,
					     size_t *ret_n) WL_MUST_CHECK;

/* Add the FLOPs of a kernel row, in proportion to the given part of its length, if it was
 * measured. */
void wl_mfu_add_flops(const struct wl_trace *trace, const struct wl_ncu_join *join, size_t row,
		      wl_ns part, struct wl_mfu_times *times);

#endif
