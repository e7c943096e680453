/* SPDX-License-Identifier: MIT */
/* verdict.h - whether a capture is what was wished for, and if not, why. Pure. */
#ifndef WL_CAPTURE_RUN_VERDICT_H
#define WL_CAPTURE_RUN_VERDICT_H

#include "capture/plan/plan.h"
#include "capture/run/collect.h"
#include "capture/run/watch.h"

struct wl_capture_evidence {
	const struct wl_wishes *wishes;
	const struct wl_capture_plan *plan;
	const struct wl_watched *watched;
	const struct wl_collection *collection;
	int64_t n_windows;   /* that were recorded, of a gate of steps */
	int64_t free_bytes;  /* where the reports are, after the run; -1: not known */
	int64_t patience_ns; /* that the profiler had */
};

/* From here on questions to a report take long: see docs/capture.md. */
#define WL_REPORT_LARGE INT64_C(2000000000)

enum { WL_VERDICT_WARNINGS = 4, WL_VERDICT_LINE = 256 };

struct wl_capture_verdict {
	size_t n_warnings;
	char warning[WL_VERDICT_WARNINGS][WL_VERDICT_LINE];
};

/*
 * WL_OK, with warnings. WL_E_NODATA: nothing was recorded, such as by a gate that did not open;
 * WL_E_IO: nsys failed; WL_E_OUTPUT: the disk is full; WL_E_FORMAT: no report is whole;
 * WL_E_CANCELED: stopped before there was a report; WL_E_TIMEOUT.
 */
int wl_capture_judge(const struct wl_capture_evidence *e, struct wl_capture_verdict *ret,
		     struct wl_err *reterr) WL_MUST_CHECK;

/* The last line of output that is no progress bar, for a message. */
enum { WL_CAPTURE_QUOTE = 200 };
void wl_capture_quote(const struct wl_watched *watched, char ret[WL_CAPTURE_QUOTE]);

/* nsys ended before the program was started, for a reason of its own: it may be tried again. */
bool wl_capture_is_mishap(const struct wl_watched *watched, size_t n_reports);

#endif
