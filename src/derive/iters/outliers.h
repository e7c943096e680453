/* SPDX-License-Identifier: MIT */
/* outliers.h - iterations whose period stands out within a process. */
#ifndef WL_DERIVE_OUTLIERS_H
#define WL_DERIVE_OUTLIERS_H

#include "base/attr.h"
#include "base/memory/arena.h"
#include "derive/iters/iters.h"

/*
 * By iteration: whether its period differs from the median by more than 5% and more than 3.5 scaled
 * median absolute deviations. If there are kinds of step, the median and deviations are those of
 * its kind, which needs at least 5 periods: a prefill is no outlier among decodes. The last
 * iteration has no period and never stands out. Owned by the arena; NULL when that is exhausted.
 */
const bool *wl_outliers_find(const struct wl_process_iters *iters,
			     struct wl_arena *arena) WL_MUST_CHECK;

/*
 * The number of iterations at the start of the run, in which modules are loaded and kernels are
 * tuned: the slow iterations, if they are exactly the first ones and at most a quarter of all; else
 * 0. Also 0 with fewer than 8 iterations or guessed ones.
 */
size_t wl_outliers_at_start(const struct wl_process_iters *iters, const bool *is_slow);

/*
 * Whether outliers are few enough to be accidents. If more than a quarter stand out, they repeat by
 * design, such as an optimizer in every second step, and leaving them out would hide regular work.
 */
static inline bool wl_outliers_are_rare(size_t n_outliers, size_t n)
{
	return 4 * n_outliers <= n;
}

#endif
