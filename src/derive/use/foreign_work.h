/* SPDX-License-Identifier: MIT */
/*
 * foreign_work.h - counters show that a GPU works while the trace has nothing on it.
 *
 * Only samples count during all of which no recorded operation runs. What is recorded cannot raise
 * them, so that something else does: idle time of this trace is then not free time of the GPU.
 */
#ifndef WL_DERIVE_FOREIGN_WORK_H
#define WL_DERIVE_FOREIGN_WORK_H

#include "derive/use/sampled.h"

struct wl_foreign {
	struct wl_sampled active; /* SMs, in percent; n is 0 where idle time is not in doubt */
	double share;             /* such samples, of the window of the device */
};

struct wl_foreign_work {
	const struct wl_foreign *of; /* by device; those that are not selected have none */
	uint32_t most;               /* the device with the largest share; WL_NONE for none */
};

/* Owned by the arena; false when that is exhausted. Wants METRIC_SERIES. */
bool wl_foreign_work_find(const struct wl_derived *given, const struct wl_scope *scope,
			  struct wl_arena *arena, struct wl_foreign_work *ret) WL_MUST_CHECK;

#endif
