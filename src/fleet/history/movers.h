/* SPDX-License-Identifier: MIT */
/*
 * movers.h - which operations, ranks or hosts changed between two groups of runs.
 *
 * Operations count their time per step, as the mean over ranks; of communication the time on the
 * rank with the least of it, as that of the others includes waiting. Ranks and hosts count the
 * period of their steps without exposed communication: a slow rank does not make those that wait
 * for it look slow.
 */
#ifndef WL_FLEET_MOVERS_H
#define WL_FLEET_MOVERS_H

#include <stdint.h>

#include "base/memory/arena.h"
#include "fleet/history/changes.h"

/* One thing in one run, per step; magnitudes below 2^53. At most one cell for each pair. */
struct wl_hist_cell {
	uint32_t run, what; /* what is a number below n_whats */
	int64_t ns;
	double calls; /* 0 where there is nothing to count */
};

enum wl_hist_absence {
	WL_HIST_IS_ZERO,  /* an operation that a run does not have takes no time there */
	WL_HIST_IS_OTHER, /* a host that is not in a run has no value: those that are count */
};

/* Means over the runs of a group. */
struct wl_hist_mover {
	uint32_t what;
	uint32_t n_before, n_after; /* runs that have it */
	int64_t before, after;      /* ns; of all things of that group where no run has it */
	int64_t change;             /* after - before = by_count + by_duration */
	int64_t by_count;           /* change of calls times the mean duration before */
	int64_t by_duration;
};

/*
 * The largest change first, then by number; only things that a run of either group has. Runs are
 * those of the verdict. O(cells + whats log whats). False when the arena is exhausted.
 */
bool wl_hist_movers(const struct wl_hist_cell *cells, size_t n, size_t n_whats,
		    const struct wl_hist_verdict *groups, enum wl_hist_absence absence,
		    struct wl_arena *arena, struct wl_hist_mover **ret,
		    size_t *ret_n) WL_MUST_CHECK;

#endif
