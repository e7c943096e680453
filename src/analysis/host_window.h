/* SPDX-License-Identifier: MIT */
/*
 * host_window.h - the time that host rows of an answer over the whole trace span, which is another
 * one than that of the GPU work.
 */
#ifndef WL_ANALYSIS_HOST_WINDOW_H
#define WL_ANALYSIS_HOST_WINDOW_H

#include "derive/rows/scope.h"

enum { WL_HOST_WINDOW_BUF = 256 };

/*
 * Widen *window by the rows of all host families in the list, which ends with WL_N_COLUMNS; false
 * where they have none. Linear in their rows.
 */
bool wl_host_window_widen(const struct wl_trace *trace, const struct wl_scope *scope,
			  const enum wl_column_id *list, struct wl_interval *window);

/*
 * One sentence for people: which rows the window of an answer spans, and when GPUs worked. NULL
 * where a window was asked for, in a trace without GPU work, and where both are the same time. An
 * answer that reads no operations has no window to compare: NULL, and when GPUs worked is left out.
 */
const char *wl_host_window_words(const struct wl_trace *trace, const struct wl_scope *scope,
				 const enum wl_column_id *list, const struct wl_interval *window,
				 char buf[WL_HOST_WINDOW_BUF]);

#endif
