/* SPDX-License-Identifier: MIT */
/* plan_kernels.h - the kernels of a trace that ncu is to measure, for a plan. */
#ifndef WL_CLI_PLAN_KERNELS_H
#define WL_CLI_PLAN_KERNELS_H

#include "capture/plan/plan.h"
#include "cli/line/opt.h"

/*
 * The kernels with the largest sums, without communication, and launches of each in a step from the
 * middle of the run: wishes->kernel and n_kernels, the arena's. WL_E_NODATA for a trace without
 * kernels; else what opening a trace can return.
 */
int wl_plan_kernels_find(const struct wl_invocation *inv, const char *trace, int64_t top,
			 struct wl_arena *arena, struct wl_wishes *wishes,
			 struct wl_err *reterr) WL_MUST_CHECK;

#endif
