/* SPDX-License-Identifier: MIT */
/* comm_blame.h - the members of a group that make its others wait, one or several together. */
#ifndef WL_ANALYSIS_COMM_BLAME_H
#define WL_ANALYSIS_COMM_BLAME_H

#include "analysis/comm/comm_rows.h"

/*
 * Of a group: those that arrive later than the median member by a twentieth of what the latest
 * does and a hundredth of the window, summed over its matches, and the latest. They are named if
 * more than half of the waiting is at matches at which one of them is the last, the others wait
 * there for a hundredth of the window, and by more than the error of the clocks.
 */
struct wl_comm_blame {
	const bool *is_late; /* by member of the group */
	size_t n;            /* how many they are; 0: no member is named */
	wl_ns caused;        /* what the others wait at these matches, summed over them */
};

/*
 * By group of the matches. Linear in matched operations; logarithmic in the members of a group for
 * each. NULL when the arena is exhausted.
 */
const struct wl_comm_blame *wl_comm_blame_find(const struct wl_comm_rows *rows) WL_MUST_CHECK;

/* "GPU 1", "rank 3 (GPU 1)", "GPUs 0 and 1", "ranks 4, 5, 10, 11 and 4 more"; owned by the run's
 * arena, NULL when that is exhausted. */
const char *wl_comm_blame_say(const struct wl_comm_rows *rows, uint32_t group,
			      const struct wl_comm_blame *blame) WL_MUST_CHECK;

#endif
