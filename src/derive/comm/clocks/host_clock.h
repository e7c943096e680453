/* SPDX-License-Identifier: MIT */
/* host_clock.h - the clock of a host, and the anchors that it is fitted on. */
#ifndef WL_DERIVE_HOST_CLOCK_H
#define WL_DERIVE_HOST_CLOCK_H

#include <math.h>

#include "model/trace.h"

struct wl_clock_anchor {
	wl_ns end;
	uint32_t match, host;
	double r1; /* how far the ends of its group are apart (end_together.h) */
};

/* The time t of the host is t + offset + t * drift / 1e9 on the reference's clock. */
struct wl_host_clock {
	wl_ns offset;
	int64_t drift; /* parts per billion */
	size_t n_anchors;
	wl_ns residual;      /* 99th percentile of its distance from the median of a collective */
	wl_ns residual_p50;  /* median of it */
	size_t n_violations; /* ends of its members before the last arrival of their match */
	bool is_tied; /* to the reference; else nothing is known, and offset and drift are 0 */
};

static inline wl_ns wl_host_time(const struct wl_host_clock *clock, wl_ns t)
{
	return t + clock->offset + (wl_ns)llround((double)t * ((double)clock->drift / 1e9));
}

/* By match; a match has two and more, and a host at most once. */
struct wl_clock_anchors {
	const struct wl_clock_anchor *at;
	size_t n, n_hosts;
	bool no_drift; /* offsets only */
};

#endif
