/* SPDX-License-Identifier: MIT */
/*
 * host_window.h - the time span of the host rows in an answer over the whole trace, which differs
 * from that of the GPU work.
 */
#ifndef WL_ANALYSIS_HOST_WINDOW_H
#define WL_ANALYSIS_HOST_WINDOW_H

#include "derive/rows/scope.h"

enum { WL_HOST_WINDOW_BUF = 256 };

/*
 * Widen *window by the rows of all host families in the list, which ends with WL_N_COLUMNS; false
 * if they have no rows. Linear in their rows.
 */
bool wl_host_window_widen(const struct wl_trace *trace, const struct wl_scope *scope,
			  const enum wl_column_id *list, struct wl_interval *window);

/*
 * One sentence for people: which rows the window of an answer spans, and when GPUs worked. NULL if
 * a window was requested, if the trace has no GPU work, and if both times are the same. For an
 * answer that reads no operations there is nothing to compare: NULL, and the GPU times are left
 * out.
 */
const char *wl_host_window_words(const struct wl_trace *trace, const struct wl_scope *scope,
				 const enum wl_column_id *list, const struct wl_interval *window,
				 char buf[WL_HOST_WINDOW_BUF]);

#endif
