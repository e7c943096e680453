/* SPDX-License-Identifier: MIT */
/* no_straggler.h - the scenario in which a member's activities take as long as the others'. */
#ifndef WL_DERIVE_NO_STRAGGLER_H
#define WL_DERIVE_NO_STRAGGLER_H

#include "derive/graph/late.h"
#include "derive/graph/positions.h"

/* What an activity would take. */
struct wl_evened {
	uint32_t activity;
	wl_ns length;
	wl_ns gap; /* of a call: the time since what it started after */
};

struct wl_no_straggler {
	struct wl_positions ops, calls;
	struct wl_vec changes;              /* struct wl_evened, share by share */
	size_t first[WL_N_LATE_SHARES + 1]; /* change of a share, as far as they are made */
	bool is_other[WL_N_LATE_SHARES];    /* some change of the share is one */
	/* By share: the time of what was changed, before and after; of calls that an operation
	 * holds up only the gap before them. */
	wl_ns own[WL_N_LATE_SHARES], others[WL_N_LATE_SHARES];
	bool is_comparable; /* most of its kernels' time has counterparts, and theirs has */
};

/*
 * Find the counterparts. Order of calls: begin; change, once for each share in their order; end.
 * False when the arena is exhausted; end is needed all the same.
 */
bool wl_no_straggler_begin(const struct wl_compared_by *by, const struct wl_peers *who,
			   struct wl_arena *arena, struct wl_no_straggler *ret) WL_MUST_CHECK;
void wl_no_straggler_end(struct wl_no_straggler *scenario);

/* List the changes of a share. */
bool wl_no_straggler_change(const struct wl_compared_by *by, struct wl_no_straggler *scenario,
			    enum wl_late_share share) WL_MUST_CHECK;

/*
 * The median and the mean length of the others at a position, and how many have one; 0 where none
 * has.
 */
struct wl_counterpart {
	wl_ns length;
	double mean;
	size_t n;
};

struct wl_counterpart wl_counterpart_of(const struct wl_graph *graph, const struct wl_positions *p,
					size_t key, size_t k);

#endif
