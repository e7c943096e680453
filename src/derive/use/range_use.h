/* SPDX-License-Identifier: MIT */
/*
 * range_use.h - the cost of NVTX ranges: host time, and the GPU work launched inside them.
 *
 * An operation belongs to all push/pop and start/end ranges around its launch call on the call's
 * thread, even if these cross each other. If bridged, it also belongs to every range that was open
 * on the anchor thread when another thread launched it; this is counted separately.
 *
 * Figures are by fold (folds.h). However many ranges of a fold an operation is in,
 * it counts once.
 */
#ifndef WL_DERIVE_RANGE_USE_H
#define WL_DERIVE_RANGE_USE_H

#include "derive/calls/launch.h"
#include "derive/nvtx/folds.h"
#include "derive/rows/scope.h"
#include "derive/rows/stats.h"

/* Operations with a part in the window. All sums stop at INT64_MAX. */
struct wl_gpu_use {
	size_t ops;
	wl_ns sum;  /* of the parts' durations */
	wl_ns busy; /* the length of their union per device, summed over devices */
};

struct wl_range_use {
	struct wl_stats host; /* of the ranges' parts in the window; only n and sum if n is 0 */
	wl_ns self;           /* of these parts, minus what the ranges inside them cover */
	struct wl_gpu_use gpu, bridged;
	wl_ns projected; /* first start to last end of each range's operations, summed */
};

struct wl_range_uses {
	const struct wl_range_use *of; /* by fold */
	/* Durations of the kernels in the window: all, those in a push/pop range, and those in one
	 * if bridging counts. */
	wl_ns kernels, kernels_in, kernels_bridged;
	size_t cut; /* operations with more than WL_MAX_AROUND ranges around their launch */
};

/*
 * Needs the columns of the forest, the links and the operations; without API calls
 * or operations the GPU's figures are 0. The forest must be that of the folds.
 * False when memory is exhausted. Linear in ranges, and in operations times the
 * ranges each one is in, of which the innermost WL_MAX_AROUND count.
 */
bool wl_range_uses_find(const struct wl_derived *derived, const struct wl_scope *scope,
			const struct wl_forest *forest, const struct wl_folds *folds,
			struct wl_arena *arena, struct wl_range_uses *ret) WL_MUST_CHECK;

#endif
