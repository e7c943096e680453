/* SPDX-License-Identifier: MIT */
/*
 * several.h - the summary of several traces: a row for each.
 *
 * Order of calls: for each trace a session and its run, of the document that summary names for
 * several; then join, once. All sessions and answers must outlive the joined one.
 */
#ifndef WL_SESSION_SEVERAL_H
#define WL_SESSION_SEVERAL_H

#include "session/open/session.h"

/* The columns of the answer, for help and tests. */
extern const struct wl_table_info wl_several_table;

/*
 * Make the answer of n >= 1 answers to that document; one that wl_join_missing() made has a
 * row without numbers and a note. The view of the request applies to the table.
 */
int wl_several_join(const struct wl_request *request, const struct wl_document *docs, size_t n,
		    struct wl_arena *arena, struct wl_document *ret_document,
		    struct wl_err *reterr) WL_MUST_CHECK;

#endif
