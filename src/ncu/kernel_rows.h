/* SPDX-License-Identifier: MIT */
/* kernel_rows.h - launches of the same kernel with the same configuration, as one row each. */
#ifndef WL_NCU_KERNEL_ROWS_H
#define WL_NCU_KERNEL_ROWS_H

#include "ncu/measures.h"

struct wl_ncu_row {
	const struct wl_ncu_launch *launch; /* the first of them */
	const char *gpu;                    /* "NVIDIA GB200"; NULL where the report does not say */
	size_t n_launches;
	struct wl_ncu_measures mean; /* weighted by duration; limits of the first launch */
	struct wl_ncu_work work;     /* sums; NAN where a launch does not have the value */
};

struct wl_ncu_rows {
	struct wl_ncu_row *row; /* the longest first, by the sum of durations */
	size_t n;
	double total_ns; /* of all launches that have a duration */
};

/*
 * Rows by kernel, grid, block, shared memory and GPU, or one for each launch. The arena's. Sorts,
 * then sweeps. False without memory.
 */
bool wl_ncu_rows_find(const struct wl_ncu *ncu, bool by_launch, struct wl_arena *arena,
		      struct wl_ncu_rows *ret) WL_MUST_CHECK;

#endif
