/* SPDX-License-Identifier: MIT */
/* answer_rows.h - tables for pages, and events of lanes, as JSON. */
#ifndef WL_SERVE_ANSWER_ROWS_H
#define WL_SERVE_ANSWER_ROWS_H

#include "serve/answers/answer.h"
#include "table/view.h"

enum { WL_ANSWER_MAX_ROWS = 2000 };

/*
 * {columns: [{key, title, type}], rows: [[...]], total, truncated}; points in time are
 * counted from the origin. At most WL_ANSWER_MAX_ROWS rows.
 */
int wl_answer_rows(struct wl_answer *ret, const struct wl_view *view, wl_ns origin,
		   struct wl_err *reterr) WL_MUST_CHECK;

/* The events [*lo, *hi) of a lane have a part in [begin, end), or start there without length. */
void wl_lane_touching(const struct wl_lane *lane, wl_ns begin, wl_ns end, size_t *lo, size_t *hi);

#endif
