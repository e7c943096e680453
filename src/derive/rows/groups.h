/* SPDX-License-Identifier: MIT */
/*
 * groups.h - rows grouped by a code, with the statistics of a value, ranked by sum.
 *
 * Most rankings work this way: an analysis supplies the code and value of a row and breaks ties,
 * then outputs the groups in order. A code is a number into which the analysis packs the key of a
 * group, such as name + n_names * device.
 */
#ifndef WL_DERIVE_GROUPS_H
#define WL_DERIVE_GROUPS_H

#include "base/attr.h"
#include "base/memory/arena.h"
#include "derive/rows/stats.h"

/* A row that does not count. */
#define WL_NO_CODE WL_NO_U64

struct wl_group_spec {
	size_t n_rows;
	uint64_t n_codes; /* codes are less than this; grouping is fast if they are few */
	/*
	 * Get the codes, and values >= 0, of the n <= WL_BLOCK_ROWS rows starting at row. value is
	 * NULL when only codes are wanted. Runs on several threads at once and must answer the same
	 * each time.
	 */
	void (*codes)(void *ctx, size_t row, size_t n, uint64_t *code, int64_t *value);
	/* Which of two groups with equal sums comes first: < 0 for a. */
	int (*compare)(void *ctx, uint64_t code_a, uint64_t code_b);
	struct wl_pool *pool; /* NULL: in line */
};

struct wl_groups {
	size_t n;
	const uint64_t *code;         /* by group */
	const struct wl_stats *stats; /* by group */
	const uint32_t *order;        /* groups, the largest sum first */
	int64_t total;                /* of all sums; stops at INT64_MAX */
};

/*
 * Owned by the arena; false when that is exhausted. Two passes over the rows, or three with hashing
 * if codes are many.
 */
bool wl_groups_make(const struct wl_group_spec *spec, void *ctx, struct wl_arena *arena,
		    struct wl_groups *ret) WL_MUST_CHECK;

#endif
