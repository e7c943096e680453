/* SPDX-License-Identifier: MIT */
/* take.h - makes the fingerprint of a run. */
#ifndef WL_COMPARE_TAKE_H
#define WL_COMPARE_TAKE_H

#include "compare/fingerprint/fingerprint.h"
#include "session/open/session.h"

/* Add what it is made of. */
void wl_fp_want(struct wl_wanted *wanted);

/*
 * Take it of what the run has. label, window and selection are left to the caller.
 * WL_E_NODATA without GPU operations; WL_E_FORMAT where times are too long to be kept.
 * A few passes over operations, calls and ranges.
 */
int wl_fp_take(const struct wl_run *run, struct wl_fingerprint *ret,
	       struct wl_err *reterr) WL_MUST_CHECK;

/*
 * The same in two parts: all that is measured, and what scenarios save. Replays take most of the
 * time, and a comparison asks them of its slower side alone. The second is of the same run, which
 * then has to have only WL_FROM(WHATIF).
 */
int wl_fp_take_measured(const struct wl_run *run, struct wl_fingerprint *ret,
			struct wl_err *reterr) WL_MUST_CHECK;
int wl_fp_take_replayed(const struct wl_run *run, struct wl_fingerprint *f,
			struct wl_err *reterr) WL_MUST_CHECK;

#endif
