/* SPDX-License-Identifier: MIT */
#include "ncu/bound.h"

#include <math.h>
#include <stdio.h>

/* Thresholds from SpeedOfLight.py, which ships with ncu 2024.1. */
static const double latency_below = 0.60, balanced_within = 0.10, waves_of_small_grid = 1;

/* Shares are percentages divided by 100; with this tolerance, 60% and 50% still count as 10 points
 * apart. */
static const double rounding = 1e-9;

/* The memory share is the maximum of its parts: if DRAM is this close to it, DRAM is the
 * maximum. */
static const double same_share = 0.001;

const char *wl_ncu_bound(const struct wl_ncu_measures *m)
{
	double sm = m->of[WL_NCU_SM_SHARE], dram = m->of[WL_NCU_DRAM_SHARE];
	double memory = isnan(m->of[WL_NCU_MEMORY_SHARE]) ? dram : m->of[WL_NCU_MEMORY_SHARE];

	if (isnan(sm) || isnan(memory))
		return NULL;
	if (sm < latency_below && memory < latency_below)
		return m->of[WL_NCU_WAVES] < waves_of_small_grid ? "small grid" : "latency";
	if (fabs(sm - memory) < balanced_within - rounding)
		return "balanced";
	if (sm > memory)
		return "compute";
	return dram >= memory - same_share ? "DRAM" : "cache";
}

const char *wl_ncu_limiter(const struct wl_ncu_measures *m, char buf[WL_NCU_LIMITER_CAP])
{
	static const struct {
		enum wl_ncu_meaning meaning;
		const char *name;
	} limits[] = {
		{ WL_NCU_LIMIT_REGISTERS, "registers" }, { WL_NCU_LIMIT_SHARED, "shared memory" },
		{ WL_NCU_LIMIT_WARPS, "block size" },    { WL_NCU_LIMIT_BLOCKS, "blocks" },
		{ WL_NCU_LIMIT_BARRIERS, "barriers" },
	};
	double least = (double)INFINITY;
	size_t used = 0;

	if (m->of[WL_NCU_MAX_OCCUPANCY] >= 1)
		return NULL;
	for (size_t i = 0; i < WL_COUNT(limits); i++)
		least = fmin(least, m->of[limits[i].meaning]);
	if (isinf(least))
		return NULL;
	buf[0] = '\0';
	for (size_t i = 0; i < WL_COUNT(limits) && used < WL_NCU_LIMITER_CAP; i++) {
		if (m->of[limits[i].meaning] == least)
			used += (size_t)snprintf(buf + used, WL_NCU_LIMITER_CAP - used, "%s%s",
						 used ? ", " : "", limits[i].name);
	}
	return buf;
}
