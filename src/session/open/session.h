/* SPDX-License-Identifier: MIT */
/*
 * session.h - an open trace that answers requests; the only place that both reads and analyses.
 *
 * Order of calls: open; run, as often as wanted; close. A run loads what it needs
 * and is not there yet; answers live in the caller's arena and borrow from the
 * session, so they end with either.
 *
 * A path that is a directory is a job: its files are one trace (job_trace.h).
 *
 * Where a trace has a fresh index (index/index.h) and the session may use it, nothing is
 * read: columns come from there, and so do whole answers. They are the same bytes as
 * without. An index that turns out to be damaged, or is cut while it is used, is let go
 * of, and the trace is read after all.
 */
#ifndef WL_SESSION_SESSION_H
#define WL_SESSION_SESSION_H

#include "index/index.h"
#include "read/input.h"
#include "session/document/request.h"

struct wl_pool;
struct wl_session;

int wl_session_open(const char *path, const struct wl_input_opts *opts,
		    struct wl_session **ret_session, struct wl_err *reterr) WL_MUST_CHECK;
/* The same, with the index of the trace if that is fresh. index is copied, its texts are not. */
int wl_session_open_indexed(const char *path, const struct wl_input_opts *opts,
			    const struct wl_index_opts *index, struct wl_session **ret_session,
			    struct wl_err *reterr) WL_MUST_CHECK;
void wl_session_close(struct wl_session *session);

/*
 * Of a job of n files: WL_E_USAGE with the reason when they do not prove to be one (job_trace.h,
 * facts_proof.h).
 */
int wl_session_prove_job(struct wl_session *session, size_t n, struct wl_err *reterr) WL_MUST_CHECK;

/*
 * Of a job, whose trace has files: correct their clocks, by file (job_trace.h). Derivations become
 * void.
 */
int wl_session_set_clocks(struct wl_session *session, const struct wl_trace_file *clock,
			  struct wl_err *reterr) WL_MUST_CHECK;

/* It is of facts: it has answers and no rows. */
bool wl_session_is_facts(const struct wl_session *session);

/* Whether it can have an answer of the analysis: of facts few verbs. */
bool wl_session_answers(const struct wl_session *session, const struct wl_analysis *analysis);

/*
 * The trace, another object when an index is let go of. Of an index only run() checks
 * the columns; a caller that looks at them after a load alone must not take their values for
 * indexes.
 */
const struct wl_trace *wl_session_trace(const struct wl_session *session);

/*
 * A number that changes whenever columns or derived results may have moved: by a load, another
 * naming, other clocks, an index that is let go of. Readers that look at a trace between requests
 * compare it.
 */
uint64_t wl_session_generation(const struct wl_session *session);

/* Why an index that is there is not used, one sentence for people; NULL: it is, or there is none.
 */
const char *wl_session_index_note(const struct wl_session *session);

/*
 * Find what analyses share, of the columns that are loaded and the naming of the last request,
 * and view it. What is wanted must be loaded. Valid until a request loads more or names
 * otherwise. False when memory is exhausted.
 */
bool wl_session_derive(struct wl_session *session, uint64_t from, struct wl_pool *pool,
		       struct wl_derived *ret) WL_MUST_CHECK;

/* Load every column there is. */
int wl_session_load_all(struct wl_session *session, struct wl_err *reterr) WL_MUST_CHECK;

/*
 * From now on the trace and what is derived of it stay where they are, for views that
 * use them while the session is asked: a request that needs columns which are not
 * loaded, or another naming, is WL_E_USAGE, and an index that turns out to be damaged WL_E_IO.
 */
void wl_session_hold(struct wl_session *session);

/*
 * While it is on, what is found of a scope is kept for the next answers about it (kept_scopes.h):
 * an answer ends before one of a third scope is asked, and before it is off.
 */
void wl_session_keep_scopes(struct wl_session *session, bool is_on);

/* Under which name answers speak of the trace; the path it was opened by, unless set. Borrowed. */
void wl_session_set_label(struct wl_session *session, const char *label);

/* A note that every answer gets; NULL for none. Borrowed. */
void wl_session_set_note(struct wl_session *session, const char *note);

/*
 * The files that a job was given by, for commands that people paste, and the directory that stands
 * for all of them; NULL for none. Borrowed.
 */
void wl_session_set_files(struct wl_session *session, const char *const *files, size_t n,
			  const char *directory);

/*
 * Check, and load the union of what the request needs. Separate from run so that a front-end
 * can let go of the file in between.
 *
 * A load or a run that is stopped, by the flag of the opener or by the request, is WL_E_CANCELED or
 * WL_E_TIMEOUT. The session can be asked again: after a load that was stopped it opens the file
 * again, and the trace is another object.
 */
int wl_session_load(struct wl_session *session, const struct wl_request *request,
		    struct wl_err *reterr) WL_MUST_CHECK;

/*
 * Answer. WL_E_NODATA when the analysis, or a needed section of the document, has
 * no data; other sections then say so in their place.
 */
int wl_session_run(struct wl_session *session, const struct wl_request *request,
		   struct wl_arena *arena, struct wl_document *ret_document,
		   struct wl_err *reterr) WL_MUST_CHECK;

/*
 * The same, except that an analysis or a needed section without data is no failure: the document
 * is one section, which says why it is missing, without the name that wl_session_run() puts before.
 */
int wl_session_ask(struct wl_session *session, const struct wl_request *request,
		   struct wl_arena *arena, struct wl_document *ret_document,
		   struct wl_err *reterr) WL_MUST_CHECK;

/* Why such a document is missing; NULL where it is there. */
const char *wl_document_missing(const struct wl_document *doc);

#endif
