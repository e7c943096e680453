/* SPDX-License-Identifier: MIT */
/* answering_parts.h - for answering.c, answering_frame.c and answering_facts.c: an answer that is
 * being made. */
#ifndef WL_SESSION_ANSWERING_PARTS_H
#define WL_SESSION_ANSWERING_PARTS_H

#include "session/document/answers.h"
#include "session/open/session_parts.h"

/* One answer under construction. */
struct wl_answering {
	struct wl_session *session;
	const struct wl_request *request;
	struct wl_arena *arena;
	struct wl_scope scope;
	struct wl_scope_notes notes;
	bool is_of_part; /* one table, to which the selection applies */
	struct wl_stored_answer *stored[WL_MAX_SECTIONS]; /* by section; NULL: is to be found */
	struct wl_derived all;             /* what the sections that are to be found share */
	const struct wl_iterations *steps; /* found for the selection or a section; NULL: neither */
};

/* The facts are of several traces. */
bool wl_answering_is_of_job(const struct wl_answering *a);

/* The lines above and below the tables; false when the arena is exhausted. */
bool wl_answering_put_frame(struct wl_answering *a, const struct wl_plan *plan,
			    struct wl_document *doc) WL_MUST_CHECK;

/*
 * Find the sections that a source has over a window, NULL for everything, and the frame of them
 * all; NULL where there is none.
 */
const struct wl_stored_frame *wl_answering_find_kept(struct wl_answering *a,
						     const struct wl_plan *plan,
						     const struct wl_answer_source *source,
						     const char *window);

/* The window of a section that speaks of other times than the document; false as above. */
bool wl_answering_put_window(struct wl_answering *a, const struct wl_section_info *info,
			     const struct wl_stored_answer *stored, const struct wl_document *doc,
			     struct wl_section *ret) WL_MUST_CHECK;

/*
 * Everything comes from what is kept: a document says of the rest that it is not there. WL_E_USAGE
 * where facts have no answer.
 */
int wl_answering_take_facts(struct wl_answering *a, const struct wl_plan *plan,
			    struct wl_document *doc, struct wl_err *reterr) WL_MUST_CHECK;

#endif
