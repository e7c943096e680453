/* SPDX-License-Identifier: MIT */
/*
 * block_use.h - thread blocks and warps of single kernels: the tail, and how evenly
 * multiprocessors were used.
 *
 * A block is of the kernel of its process with its correlation id and graph node (their low 32
 * bits; none is 0); of several the last that starts at or before it, else the first. A kernel
 * without blocks has those that its warps make: from the first start to the last end, on the
 * multiprocessor of the warp that starts first (the lowest). docs/definitions/kernels.md.
 */
#ifndef WL_DERIVE_BLOCK_USE_H
#define WL_DERIVE_BLOCK_USE_H

#include "base/attr.h"
#include "base/memory/arena.h"
#include "derive/rows/scope.h"
#include "model/trace.h"

/* What one kernel did, or several together. */
struct wl_block_use {
	int64_t runs;        /* kernels with blocks or warps */
	int64_t blocks;      /* and how many; all blocks of a kernel that has warps alone */
	uint32_t sms;        /* multiprocessors that ran any, the most of one kernel */
	wl_ns span;          /* from the begin of the first block to the end of the last */
	wl_ns tail;          /* of that, since a multiprocessor that had blocks had its last one */
	wl_ns block_sum;     /* lengths of blocks */
	wl_ns block_max;     /* the longest block */
	double sm_span;      /* sum of multiprocessors times span */
	double sm_idle_tail; /* of that, behind the last block of each */
	double sm_busy;      /* time in which a multiprocessor ran a block, of all */
	double sm_busy_most; /* sum of multiprocessors times that of the busiest */
	int64_t warps;
	double warp_sum;  /* lengths of warps */
	double warp_most; /* sum of warps of a block times the longest of them */
};

/* One kernel. */
struct wl_block_run {
	size_t row; /* of kernels */
	struct wl_block_use use;
};

struct wl_block_runs {
	struct wl_block_run *run; /* in order of rows */
	size_t n;
	size_t n_blocks, n_foreign; /* rows of blocks and warps with times; of no kernel */
};

/*
 * Kernels with a part in the scope that have blocks or warps. The columns that wl_block_columns
 * lists must be loaded. False without memory. O(n log n) in blocks and warps.
 */
bool wl_block_runs_find(const struct wl_trace *trace, const struct wl_scope *scope,
			struct wl_arena *arena, struct wl_block_runs *ret) WL_MUST_CHECK;

extern const enum wl_column_id wl_block_columns[]; /* WL_N_COLUMNS ends it */

/* Add what one kernel did to what others did. */
void wl_block_use_add(struct wl_block_use *to, const struct wl_block_use *use);

#endif
