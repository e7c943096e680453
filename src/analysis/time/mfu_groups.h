/* SPDX-License-Identifier: MIT */
/* mfu_groups.h - times of NVTX ranges, phases and stages, for mfu. */
#ifndef WL_ANALYSIS_MFU_GROUPS_H
#define WL_ANALYSIS_MFU_GROUPS_H

#include "analysis/time/mfu_times.h"

struct wl_mfu_group {
	const char *name; /* the pattern of a range, or the name of the phase or stage */
	struct wl_mfu_times t;
};

struct wl_mfu_groups {
	const struct wl_mfu_group *group;
	size_t n;
};

/*
 * By range, groups are the patterns of the inputs, and a name belongs to the first that matches; by
 * phase, they come from the map. A piece is a range on one GPU, without matching ranges inside it.
 * Groups are in the order given. Needs REGIONS and RANGE_NAMES. By stage, a piece is all of a stage
 * on one GPU, and "(none)" has the operations without a stage; busiest first. Needs LINKS, CLASSES,
 * STAGES and FOREST.
 *
 * Kernels count with their part in the window, as do their FLOPs, which come from join (NULL for
 * none). WL_E_USAGE for a malformed pattern or map, WL_E_NOMEM without a message.
 */
int wl_mfu_groups_find(const struct wl_run *run, const struct wl_mfu_inputs *in,
		       const struct wl_ncu_join *join, struct wl_mfu_groups *ret,
		       struct wl_err *reterr) WL_MUST_CHECK;

#endif
