/* SPDX-License-Identifier: MIT */
/* comm_blame.h - the members of a group, one or several, that make the others wait. */
#ifndef WL_ANALYSIS_COMM_BLAME_H
#define WL_ANALYSIS_COMM_BLAME_H

#include "analysis/comm/comm_rows.h"

/*
 * The late members of a group: the latest one, and those whose lateness over the median member,
 * summed over its matches, is at least a twentieth of the latest member's and a hundredth of the
 * window. They are named if more than half of the waiting is at matches where one of them is last,
 * and the others wait there for a hundredth of the window and for more than the error of the
 * clocks.
 */
struct wl_comm_blame {
	const bool *is_late; /* by member of the group */
	size_t n;            /* the number of late members; 0: none is named */
	wl_ns caused;        /* wait time of the others at these matches, summed */
};

/*
 * By group of the matches. Linear in matched operations, each logarithmic in the members of its
 * group. NULL when the arena is exhausted.
 */
const struct wl_comm_blame *wl_comm_blame_find(const struct wl_comm_rows *rows) WL_MUST_CHECK;

/* "GPU 1", "rank 3 (GPU 1)", "GPUs 0 and 1", "ranks 4, 5, 10, 11 and 4 more"; owned by the run's
 * arena, NULL when it is exhausted. */
const char *wl_comm_blame_say(const struct wl_comm_rows *rows, uint32_t group,
			      const struct wl_comm_blame *blame) WL_MUST_CHECK;

#endif
