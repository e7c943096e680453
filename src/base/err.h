/* SPDX-License-Identifier: MIT */
/* err.h - statuses and messages of functions that fail. */
#ifndef WL_BASE_ERR_H
#define WL_BASE_ERR_H

#include "base/attr.h"

enum wl_status {
	WL_OK = 0,
	WL_E_NOMEM = -1,         /* allocator or a byte budget said no; exit status 6 */
	WL_E_USAGE = -2,         /* the caller's request is wrong; exit status 2 */
	WL_E_NODATA = -3,        /* the trace has no data for this question; exit status 5 */
	WL_E_FORMAT = -4,        /* the input is malformed; exit status 3 */
	WL_E_IO = -5,            /* the operating system said no to reading; exit status 3 */
	WL_E_OUTPUT = -6,        /* the result could not be written; exit status 6 */
	WL_E_TIMEOUT = -7,       /* a time limit was hit; exit status 6 */
	WL_E_CANCELED = -8,      /* the user asked to stop; exit status 128 + signal */
	WL_E_RETRY = -9,         /* begin again, it will go another way; never leaves the readers */
	WL_E_NOMATCH = -10,      /* nothing in the trace is what the request names; exit status 2 */
	WL_E_INCOMPARABLE = -11, /* two things do not go together; exit status 4 */
	WL_E_NOJOB = -12,        /* files do not prove to be one job; exit status 2 */
};

/*
 * Filled in by the function that detects a failure, never cleared by success.
 * Lives on the caller's stack: no allocation, no global, no thread-local.
 * The message is one line, lower case, without a full stop, and names the
 * remedy where one is known.
 */
struct wl_err {
	enum wl_status code;
	char msg[512];
};

/* Record a failure and return its code, so that callers can write "return wl_fail(...)". */
int wl_fail(struct wl_err *reterr, enum wl_status code, const char *fmt, ...) WL_PRINTF(3, 4);

#endif
