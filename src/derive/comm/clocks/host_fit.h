/* SPDX-License-Identifier: MIT */
/*
 * host_fit.h - the clocks of several hosts, from the ends of collectives that span them.
 *
 * The members of a collective leave it at the same time. An anchor is a collective as one
 * host saw it end: the median end of its members there. In each collective the host with
 * most anchors is the hub, and every other host is compared with it, so the comparisons
 * are as many as the anchors. Groups of members on clocks that are not fitted yet may be several
 * that run in step: of two hosts only the anchors of groups count whose ends agree at most three
 * times worse than those of the best one, or by a microsecond, which some clocks count. The
 * comparisons that most collectives support form a tree, in which each host is tied to the
 * reference, the host with most anchors, by lines (clock_line.h). Where other comparisons close a
 * circle, three rounds of least squares over all of them follow (host_rounds.h), if they leave a
 * smaller residual. A host whose clock the fit moves nowhere by more than the residual keeps it.
 */
#ifndef WL_DERIVE_HOST_FIT_H
#define WL_DERIVE_HOST_FIT_H

#include "base/attr.h"
#include "base/memory/arena.h"
#include "derive/comm/clocks/host_clock.h"

struct wl_host_fit {
	struct wl_host_clock *host;
	size_t n_hosts;
	uint32_t reference;   /* WL_NONE: there are no anchors */
	wl_ns residual;       /* 99th percentile, of all anchors: what clocks are good for */
	const bool *is_loose; /* by anchor: it does not count */
};

/* Sorts of the anchors. Owned by the arena; false when that is exhausted. */
bool wl_host_fit_find(const struct wl_clock_anchors *anchors, struct wl_arena *arena,
		      struct wl_host_fit *ret) WL_MUST_CHECK;

#endif
