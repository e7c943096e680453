/* SPDX-License-Identifier: MIT */
/* outliers.h - iterations whose period stands out within a process. */
#ifndef WL_DERIVE_OUTLIERS_H
#define WL_DERIVE_OUTLIERS_H

#include "base/attr.h"
#include "base/memory/arena.h"
#include "derive/iters/iters.h"

/*
 * By iteration: the period is more than 5% and more than 3.5 scaled median absolute
 * deviations from the median. Where there are kinds of step, median and deviations are of
 * its kind, which needs at least 5 periods: a prefill is no outlier of decodes. The last
 * one has no period and never stands out. Owned by the arena; NULL when that is exhausted.
 */
const bool *wl_outliers_find(const struct wl_process_iters *iters,
			     struct wl_arena *arena) WL_MUST_CHECK;

/*
 * How many iterations the start of the run takes, in which modules are loaded and kernels are
 * tuned: those that are slow, where they are all of these, from the first one on, and at most a
 * quarter; 0 where they are not, and of fewer than 8 iterations or guessed ones.
 */
size_t wl_outliers_at_start(const struct wl_process_iters *iters, const bool *is_slow);

/*
 * Whether iterations that stand out are accidents, by their number. More than a quarter repeat
 * by design, such as an optimizer in every second step: to leave them out would leave out what
 * the program does.
 */
static inline bool wl_outliers_are_rare(size_t n_outliers, size_t n)
{
	return 4 * n_outliers <= n;
}

#endif
