/* SPDX-License-Identifier: MIT */
/*
 * host_clocks.h - how well the clocks of the hosts agree, and what would make them agree.
 *
 * Anchors are the ends of matched collectives that all members leave together (all-reduce,
 * all-gather, reduce-scatter, MPI_Barrier) and that span hosts. The fit is checked by
 * causality: no member leaves a collective before its last member has arrived. Where more than
 * a thousandth of the ends do, drift is left out of the fit; where they still do, no
 * statement across hosts is sound.
 */
#ifndef WL_DERIVE_HOST_CLOCKS_H
#define WL_DERIVE_HOST_CLOCKS_H

#include "derive/comm/clocks/host_fit.h"
#include "derive/comm/match/matches.h"

struct wl_host_clocks {
	struct wl_host_fit fit; /* by host (hosts.h): from the trace's clock to the reference's */
	wl_ns error;         /* p99 of how far apart the members of a match end, with the fit; also
				on one host: arrivals that are nearer may be at once */
	size_t n_ends;       /* of members, in matches that the fit is made of */
	size_t n_violations; /* of these: before the last arrival, with the fit */
	bool is_refused;     /* more than a thousandth, with offsets, too */
};

/* Linear in matched operations, but for the sorts of host_fit.h. False: the arena is exhausted. */
bool wl_host_clocks_find(const struct wl_derived *derived, struct wl_arena *arena,
			 struct wl_host_clocks *ret) WL_MUST_CHECK;

#endif
