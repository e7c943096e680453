/* SPDX-License-Identifier: MIT */
/*
 * foreign_work.h - counters that show a GPU at work while the trace has nothing on it.
 *
 * Only samples with no recorded operation at any time during them count. Recorded work cannot raise
 * these, so something else does: idle time in this trace is then not free time of the GPU.
 */
#ifndef WL_DERIVE_FOREIGN_WORK_H
#define WL_DERIVE_FOREIGN_WORK_H

#include "derive/use/sampled.h"

struct wl_foreign {
	struct wl_sampled active; /* SMs, in percent; n is 0 if idle time is not in doubt */
	double share;             /* share of such samples in the window of the device */
};

struct wl_foreign_work {
	const struct wl_foreign *of; /* by device; devices that are not selected have none */
	uint32_t most;               /* the device with the largest share; WL_NONE for none */
};

/* Owned by the arena; false when that is exhausted. Wants METRIC_SERIES. */
bool wl_foreign_work_find(const struct wl_derived *given, const struct wl_scope *scope,
			  struct wl_arena *arena, struct wl_foreign_work *ret) WL_MUST_CHECK;

#endif
