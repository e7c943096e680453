/* SPDX-License-Identifier: MIT */
/*
 * stats_parts.h - values stored group by group, and the statistics of each group.
 *
 * stats.c lays the values out, stats_find.c computes the statistics.
 */
#ifndef WL_DERIVE_STATS_PARTS_H
#define WL_DERIVE_STATS_PARTS_H

#include "base/memory/vec.h"
#include "derive/rows/stats.h"

/* A value that does not fit in 32 bits; its place in the group's slice holds UINT32_MAX. */
struct wl_large {
	uint32_t group;
	int64_t value;
};

struct wl_grouped {
	size_t n_groups;
	const size_t *bound; /* by group: where its values begin; the last entry is the end */
	uint32_t *value;
	const struct wl_large *large; /* sorted by (group, value) */
	size_t n_large;
};

/* Compute the statistics of each group; destroys the values. False if out of memory. */
bool wl_grouped_find(const struct wl_grouped *layout, struct wl_pool *pool, struct wl_arena *arena,
		     struct wl_stats *ret) WL_MUST_CHECK;

#endif
