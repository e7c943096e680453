/* SPDX-License-Identifier: MIT */
/*
 * late_collective.h - finds the collective that made a step long.
 *
 * A collective that takes far longer than others of its kind has waited: a member arrived late.
 * Which member is known only if the trace has the others, too.
 */
#ifndef WL_FINDINGS_LATE_COLLECTIVE_H
#define WL_FINDINGS_LATE_COLLECTIVE_H

#include "findings/rule_state.h"

struct wl_late_collective {
	const char *name; /* "AllReduce"; NULL if no collective of the step took that long */
	wl_ns length;
	wl_ns median;          /* for its kind on the device, in the whole trace */
	uint32_t last;         /* the device that arrived last; WL_NONE: not recorded */
	bool is_transfer;      /* all ranks are members, and it mostly transferred */
	bool may_be_elsewhere; /* but ranks without a file may be members */
};

/*
 * The longest collective that runs in a tile of a GPU, if it takes at least twice the median of its
 * kind. One pass over communication operations. False when memory is exhausted.
 */
bool wl_late_collective_find(struct wl_rule_state *d, size_t gpu, uint32_t tile,
			     struct wl_late_collective *ret) WL_MUST_CHECK;

/*
 * "one AllReduce takes 39.94 ms, 45 times the median (890 us); most likely another rank, which is
 * not in this trace, arrived late". NULL when memory is exhausted.
 */
const char *wl_say_late_collective(struct wl_rule_state *d, const struct wl_late_collective *late);

#endif
