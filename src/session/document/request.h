/* SPDX-License-Identifier: MIT */
/* request.h - a request to a session: tables, a part of the trace, and how they are shown. */
#ifndef WL_SESSION_REQUEST_H
#define WL_SESSION_REQUEST_H

#include "session/document/document_info.h"
#include "session/select/selection.h"
#include "table/document.h"

struct wl_pool;
struct wl_stop;

/* A set of facts that is built in, or a document of the user's own in its place. */
struct wl_named_doc {
	const char *name; /* of the set, or path of the document; NULL: none was chosen */
	/* NULL: the set is built in. It must live until the session is closed. */
	const struct wl_json *doc;
};

/*
 * Something else that is found of a trace than tables. visit is called when all is
 * loaded and the selection resolved, once more if an index turns out to be damaged:
 * what it found before is then void. It returns WL_OK or what wl_fail() returned.
 */
struct wl_visitor {
	const char *name;        /* the verb, for messages and the frame */
	struct wl_wanted wanted; /* what is loaded and found for it */
	bool in_detail;          /* the frame also has where and when it was recorded */
	bool reads_facts;        /* also runs on facts of several traces, which have no rows */
	int (*visit)(void *ctx, const struct wl_run *run, const struct wl_scope_notes *notes,
		     struct wl_err *reterr);
	void *ctx;
};

struct wl_request {
	const struct wl_analysis *analysis;      /* one table, or */
	const struct wl_document_info *document; /* several, or */
	const struct wl_visitor *visitor;        /* none: the document has a frame only */
	/*
	 * The analysis is asked of several traces, whose tables join.h makes one of: view
	 * is of that one, and a run shows all rows and columns.
	 */
	bool several;
	const char *const *args;     /* of the analysis, by parameter; NULL for defaults */
	struct wl_json *const *docs; /* of the analysis, by parameter; NULL for none */
	/* What Nsight Compute measured (analysis/measured.h), for each analysis that takes it;
	 * NULL. */
	struct wl_json *ncu;
	const char *section; /* of the document: only this one; NULL for all */
	bool in_full;        /* of the document: what it leaves out unless asked, too */
	struct wl_selection selection;
	const char *marker; /* of iterations: part of a range's name, or re:REGEX; NULL for none */
	const char *traces; /* of facts: the directory of their traces; NULL: beside them */
	struct wl_named_doc conventions; /* how ranges are named */
	struct wl_view_opts view;        /* where, sort and columns want a single table */
	bool limit_given;                /* view.limit replaces the limits of sections */
	bool no_limits;                  /* sections are shown whole, whatever their limits */
	struct wl_pool *pool; /* borrowed; NULL answers on one thread, with the same bytes */
	/* Borrowed; when the run must end, beside the flag that the trace was opened with; NULL. */
	const struct wl_stop *stop;
};

/*
 * WL_E_USAGE when no trace could answer the request: an unknown section or column,
 * a malformed filter, argument, list, window, marker or convention. So a mistake is reported before
 * minutes of reading and not after.
 */
int wl_request_check(const struct wl_request *request, struct wl_err *reterr) WL_MUST_CHECK;

#endif
