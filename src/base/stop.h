/* SPDX-License-Identifier: MIT */
/*
 * stop.h - when work on a question must end: at a flag, at a time, or at both.
 *
 * A budget carries it (budget.h), so that everything which has an arena or a vector can look:
 * taking memory does, pools do between tasks, and a long sweep does every WL_LOOK_EVERY rows. Work
 * that finds it due fails as it does without memory; the session says why.
 */
#ifndef WL_BASE_STOP_H
#define WL_BASE_STOP_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/attr.h"
#include "base/err.h"

/* A zeroed one is never due. Only the flag may change while others look. */
struct wl_stop {
	const atomic_int *flag;     /* not 0: stop; or NULL */
	int64_t deadline;           /* of wl_clock_wall_ns(); 0: none */
	const struct wl_stop *also; /* due when this one is; or NULL */
};

/* Rows between two looks of a sweep: less than 10 ms at 100 ns each, and the look costs nothing. */
enum { WL_LOOK_EVERY = 1 << 16 };

bool wl_stop_is_due(const struct wl_stop *stop); /* accepts NULL */

/* WL_E_CANCELED where a flag is set, else WL_E_TIMEOUT. what begins the message. */
int wl_stop_fail(const struct wl_stop *stop, const char *what, struct wl_err *reterr) WL_MUST_CHECK;

#endif
