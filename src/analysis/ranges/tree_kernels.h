/* SPDX-License-Identifier: MIT */
/*
 * tree_kernels.h - kernels by the innermost NVTX range around their launch call, as leaves of the
 * tree.
 *
 * Kernels with the same name below the same fold form one leaf, across all devices and streams.
 */
#ifndef WL_ANALYSIS_TREE_KERNELS_H
#define WL_ANALYSIS_TREE_KERNELS_H

#include "analysis/ranges/range_rows.h"

struct wl_tree_leaf {
	uint32_t fold;
	uint32_t stream; /* the stream of all its executions, or WL_NONE if they are on several */
	const char *name;
	struct wl_gpu_use use;
};

struct wl_tree_leaves {
	const struct wl_tree_leaf *leaf; /* largest sum first, then by name */
	size_t n;
};

/* False when memory is exhausted. Hashes each kernel once. Needs the kernels' names. */
bool wl_tree_leaves_find(const struct wl_run *run, const struct wl_range_rows *rows,
			 struct wl_tree_leaves *ret) WL_MUST_CHECK;

/* Add the leaf's row to the table. */
void wl_tree_leaf_put(const struct wl_tree_leaf *leaf, struct wl_table *out);

#endif
