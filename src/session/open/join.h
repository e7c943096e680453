/* SPDX-License-Identifier: MIT */
/*
 * join.h - joins the answers of several traces into one.
 *
 * Order of calls: for each trace a session and its run, with request->several set;
 * then join, once. Where there is no data, missing makes the answer that
 * stands for it. All sessions and answers must outlive the joined one.
 */
#ifndef WL_SESSION_JOIN_H
#define WL_SESSION_JOIN_H

#include "session/open/session.h"

/* The answer of a trace that has no data for the request, and why. path is borrowed, why copied. */
int wl_join_missing(const struct wl_request *request, const char *path, const char *why,
		    struct wl_arena *arena, struct wl_document *ret_document,
		    struct wl_err *reterr) WL_MUST_CHECK;

/* What rows and notes call the i-th trace: its base name where all these differ, else its path. */
const char *wl_join_label(const struct wl_document *docs, size_t n, size_t i);

/*
 * Join n >= 1 answers: their tables with a column "trace" in front, to which the view
 * of the request applies. Rows and notes call a trace by its base name where all these
 * differ, else by its path. members are the answers of the same traces that the joined chart
 * asks for (table/chart.h), NULL where it asks for none. WL_E_NODATA, with the first reason, when
 * no trace has data.
 */
int wl_join(const struct wl_request *request, const struct wl_document *docs,
	    const struct wl_document *members, size_t n, struct wl_arena *arena,
	    struct wl_document *ret_document, struct wl_err *reterr) WL_MUST_CHECK;

#endif
