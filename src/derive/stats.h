/*
 * stats.h - exact statistics of non-negative numbers, group by group.
 *
 * The rows are visited twice: once to count and sum, once to lay the values of
 * each group side by side, from which percentiles are picked by selection. That
 * takes four bytes per row and linear time.
 */
#ifndef WL_DERIVE_STATS_H
#define WL_DERIVE_STATS_H

#include "base/arena.h"
#include "base/attr.h"
#include "model/trace.h"

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
 * The group, numbered densely from 0 in any order, and the value >= 0 of a row.
 * Must answer the same on both visits. FAIL ends the run, as without memory.
 */
typedef enum wl_visit wl_visit_fn(void *ctx, size_t row, uint32_t *ret_group, int64_t *ret_value);

/* The statistics of each group, owned by the arena; NULL without memory or on FAIL. */
const struct wl_stats *wl_stats_by_group(size_t n_rows, wl_visit_fn *visit, void *ctx,
					 struct wl_arena *arena,
					 size_t *ret_n_groups) WL_MUST_CHECK;

/* a + b, or INT64_MAX where that does not fit. */
int64_t wl_add_up(int64_t a, int64_t b);

#endif
