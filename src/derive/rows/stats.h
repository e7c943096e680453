/* SPDX-License-Identifier: MIT */
/*
 * stats.h - exact statistics of non-negative numbers, group by group.
 *
 * Rows are visited twice: once to count, once to lay the values of each group side by side. All
 * statistics are computed from these. That takes four bytes per row and linear time.
 */
#ifndef WL_DERIVE_STATS_H
#define WL_DERIVE_STATS_H

#include "base/attr.h"
#include "base/memory/arena.h"
#include "base/num.h"
#include "model/trace.h"

struct wl_pool;

/* avg and stddev (of the sample, 0 for one value) are rounded; percentiles are nearest-rank. */
struct wl_stats {
	size_t n;
	int64_t sum; /* stops at INT64_MAX */
	int64_t min, max;
	int64_t avg, stddev;
	int64_t p50, p90, p99;
};

enum wl_visit { WL_VISIT_TAKE, WL_VISIT_SKIP, WL_VISIT_FAIL };

/*
 * The group, numbered densely from 0 in any order, and the value >= 0 of a row. Must answer the
 * same on both visits. FAIL ends the run, like running out of memory.
 */
typedef enum wl_visit wl_visit_fn(void *ctx, size_t row, uint32_t *ret_group, int64_t *ret_value);

/* The statistics of each group, owned by the arena; NULL if out of memory or on FAIL. */
const struct wl_stats *wl_stats_by_group(size_t n_rows, wl_visit_fn *visit, void *ctx,
					 struct wl_arena *arena,
					 size_t *ret_n_groups) WL_MUST_CHECK;

enum { WL_BLOCK_ROWS = 512 };

/*
 * The same for groups known beforehand, for many rows at a time and on several threads at once. Get
 * the groups, WL_NONE for rows that do not count, and the values >= 0 of the n <= WL_BLOCK_ROWS
 * rows starting at row. value is NULL when only groups are wanted. Must answer the same each time.
 */
typedef void wl_block_fn(void *ctx, size_t row, size_t n, uint32_t *group, int64_t *value);

struct wl_block_spec {
	size_t n_rows, n_groups;
	wl_block_fn *block;
	void *ctx;
	struct wl_pool *pool; /* NULL: in line */
};

/* The statistics of each of n_groups, owned by the arena; n is 0 in empty ones. NULL if out of
 * memory. */
struct wl_stats *wl_stats_by_block(const struct wl_block_spec *spec,
				   struct wl_arena *arena) WL_MUST_CHECK;

/*
 * a + b, or INT64_MAX if that overflows: a saturated sum is visibly absurd, a wrapped one is not.
 */
static inline int64_t wl_add_up(int64_t a, int64_t b)
{
	int64_t sum;

	return wl_add_i64(a, b, &sum) ? sum : INT64_MAX;
}

#endif
