/* SPDX-License-Identifier: MIT */
/* ask.h - makes the fingerprint of an open trace. */
#ifndef WL_COMPARE_ASK_H
#define WL_COMPARE_ASK_H

#include "compare/fingerprint/fingerprint.h"
#include "session/open/session.h"
#include "table/document.h"

/*
 * Ask a session for its fingerprint, with the request's selection, window, naming and pool,
 * and for the frame that describes it. The fingerprint is owned by the arena, but for
 * its window, which is the request's; the frame is as that of wl_session_run(). Loads
 * what wl_fp_want() (take.h) adds where they are not there. Errors are those of wl_fp_take() and
 * wl_session_run().
 */
int wl_fp_ask(struct wl_session *session, const struct wl_request *request, struct wl_arena *arena,
	      struct wl_fingerprint *ret, struct wl_document *ret_frame,
	      struct wl_err *reterr) WL_MUST_CHECK;

/* The same in the two parts of take.h. The second asks the same session with the same request. */
int wl_fp_ask_measured(struct wl_session *session, const struct wl_request *request,
		       struct wl_arena *arena, struct wl_fingerprint *ret,
		       struct wl_document *ret_frame, struct wl_err *reterr) WL_MUST_CHECK;
int wl_fp_ask_replayed(struct wl_session *session, const struct wl_request *request,
		       struct wl_arena *arena, struct wl_fingerprint *f,
		       struct wl_err *reterr) WL_MUST_CHECK;

#endif
