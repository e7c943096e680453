/* SPDX-License-Identifier: MIT */
/* mfu_groups.h - times of NVTX ranges, phases and stages, for mfu. */
#ifndef WL_ANALYSIS_MFU_GROUPS_H
#define WL_ANALYSIS_MFU_GROUPS_H

#include "analysis/time/mfu_times.h"

struct wl_mfu_group {
	const char *name; /* the pattern of a range, or what the phase or the stage is called */
	struct wl_mfu_times t;
};

struct wl_mfu_groups {
	const struct wl_mfu_group *group;
	size_t n;
};

/*
 * By range: patterns of the inputs, a name belonging to the first that matches; by phase: the
 * map. A piece is a range, without those inside it that match, on one GPU. In the order in which
 * they were given. Needs REGIONS and RANGE_NAMES. By stage: a piece is all of a stage on one GPU,
 * and "(none)" has what is of no stage; the busiest first. Needs LINKS, CLASSES, STAGES and FOREST.
 *
 * Kernels count with their part in the window, and so do their FLOPs, which join has; NULL for
 * none. WL_E_USAGE for a malformed pattern or map, WL_E_NOMEM without a message.
 */
int wl_mfu_groups_find(const struct wl_run *run, const struct wl_mfu_inputs *in,
		       const struct wl_ncu_join *join, struct wl_mfu_groups *ret,
		       struct wl_err *reterr) WL_MUST_CHECK;

#endif
