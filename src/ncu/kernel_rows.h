/* SPDX-License-Identifier: MIT */
/* kernel_rows.h - groups launches of the same kernel and configuration into one row. */
#ifndef WL_NCU_KERNEL_ROWS_H
#define WL_NCU_KERNEL_ROWS_H

#include "ncu/measures.h"

struct wl_ncu_row {
	const struct wl_ncu_launch *launch; /* the first launch of the row */
	const char *gpu;                    /* "NVIDIA GB200"; NULL if the report does not say */
	size_t n_launches;
	struct wl_ncu_measures mean; /* weighted by duration; limits of the first launch */
	struct wl_ncu_work work;     /* sums; NAN if a launch lacks the value */
};

struct wl_ncu_rows {
	struct wl_ncu_row *row; /* longest total duration first */
	size_t n;
	double total_ns; /* of all launches that have a duration */
};

/*
 * Group launches by kernel, grid, block, shared memory and GPU, or make one row per launch. Rows
 * belong to the arena. Sorts, then sweeps. False if out of memory.
 */
bool wl_ncu_rows_find(const struct wl_ncu *ncu, bool by_launch, struct wl_arena *arena,
		      struct wl_ncu_rows *ret) WL_MUST_CHECK;

#endif
