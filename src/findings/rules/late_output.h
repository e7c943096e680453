/* SPDX-License-Identifier: MIT */
/* late_output.h - calls that write files or streams while no kernel is left to run. */
#ifndef WL_FINDINGS_LATE_OUTPUT_H
#define WL_FINDINGS_LATE_OUTPUT_H

#include "derive/kinds/intervals.h"
#include "findings/rule_state.h"

/* Such calls of the thread that spends most time in them; nested calls do not count. */
struct wl_late_output {
	wl_ns sum;                 /* inside the interval */
	uint64_t n;                /* calls that overlap it */
	const char *called;        /* the function with most of it; NULL for none */
	struct wl_intervals calls; /* inside the interval; owned by the arena of the run */
};

/* Judges the threads of a process in an interval. False without memory. */
bool wl_late_output_find(const struct wl_rule_state *d, uint32_t process, struct wl_interval when,
			 struct wl_late_output *ret) WL_MUST_CHECK;

#endif
