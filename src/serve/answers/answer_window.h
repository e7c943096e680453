/* SPDX-License-Identifier: MIT */
/* answer_window.h - the window of a request, for the sessions that answer it. */
#ifndef WL_SERVE_ANSWER_WINDOW_H
#define WL_SERVE_ANSWER_WINDOW_H

#include "analysis/analysis.h"
#include "serve/answers/answer.h"

/* Stays where it is while the request is used, which points into it. */
struct wl_asked_window {
	size_t which; /* of the scenes */
	struct wl_request request;
	char text[64]; /* the window */
	const char *args[WL_MAX_PARAMS];
};

/* By parameters trace, a and b: the first trace, and all of it, where they are not given. */
int wl_window_of(struct wl_asked_window *w, const struct wl_ask *ask,
		 struct wl_err *reterr) WL_MUST_CHECK;

/* The range of a trace, NULL for all, with what the command line selects besides its window. */
void wl_window_put(struct wl_asked_window *w, const struct wl_ask *ask, size_t which,
		   const struct wl_interval *range);

/* Ask the session of the trace. */
int wl_window_run(const struct wl_asked_window *w, const struct wl_ask *ask,
		  struct wl_document *ret, struct wl_err *reterr) WL_MUST_CHECK;

#endif
