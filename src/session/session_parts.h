/* SPDX-License-Identifier: MIT */
/* session_parts.h - declarations that the sources of session.h share. */
#ifndef WL_SESSION_SESSION_PARTS_H
#define WL_SESSION_SESSION_PARTS_H

#include "derive/derivations.h"
#include "index/kept.h"
#include "session/plan.h"
#include "session/session.h"

struct wl_session {
	char *path;
	struct wl_input_opts opts;
	/* One of the two serves, and the other is NULL. */
	struct wl_index *index;
	struct wl_input *input;
	struct wl_derived_source kept; /* in the index, for the naming that the trace itself has */
	struct wl_err index_problem;   /* why an index does not serve; code WL_OK: there is none */
	struct wl_derivations derived; /* of the columns that are loaded, and as named below */
	const char *label;
	char *marker;                       /* owned, as in the last request */
	struct wl_conventions *conventions; /* likewise; NULL: by the names in the trace */
	char *conventions_name;             /* owned; NULL where there are none */
	const struct wl_json *conventions_doc;
	bool is_held; /* nothing may move any more */
};

/*
 * answering.c: one answer, of what is loaded now and what the request adds. Where the index
 * turns out to be damaged, its problem is set, and the answer is void whatever is returned.
 */
int wl_session_answer(struct wl_session *session, const struct wl_request *request,
		      struct wl_arena *arena, struct wl_document *ret_document,
		      struct wl_err *reterr) WL_MUST_CHECK;

#endif
