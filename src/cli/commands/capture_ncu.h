/* SPDX-License-Identifier: MIT */
/* capture_ncu.h - the kernels of a trace that ncu is to measure. */
#ifndef WL_CLI_COMMANDS_CAPTURE_NCU_H
#define WL_CLI_COMMANDS_CAPTURE_NCU_H

#include "capture/plan/plan.h"

struct wl_chosen_kernels {
	struct wl_plan_kernel *kernel; /* longest total time first */
	size_t n;
};

/*
 * The n kernels that took most time, without communication, whose replay would hang the ranks.
 * Launches are those in the middle of the trace: first ones have caches and clocks to warm up.
 * Names are in the arena. WL_E_NODATA when there is no kernel to measure.
 */
int wl_choose_kernels(const char *database, size_t n, struct wl_arena *arena,
		      struct wl_chosen_kernels *ret, struct wl_err *reterr) WL_MUST_CHECK;

#endif
