/* SPDX-License-Identifier: MIT */
/* trim.h - a window from two times as other tools write them, in seconds or nanoseconds. */
#ifndef WL_CLI_TRIM_H
#define WL_CLI_TRIM_H

#include <stdbool.h>

#include "base/attr.h"
#include "base/err.h"

enum { WL_WINDOW_BUF = 160 };

/* Either time is NULL where the window is open. */
struct wl_trim {
	const char *option;      /* for messages */
	const char *begin, *end; /* a plain number, or one with a unit */
	bool in_seconds;         /* what a plain number is; else nanoseconds */
};

/* Write it as --window takes it. WL_E_USAGE for what is no time, and for an end before the begin.
 */
int wl_trim_window(const struct wl_trim *trim, char ret[WL_WINDOW_BUF],
		   struct wl_err *reterr) WL_MUST_CHECK;

#endif
