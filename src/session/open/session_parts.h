/* SPDX-License-Identifier: MIT */
/* session_parts.h - declarations that the sources of session.h share. */
#ifndef WL_SESSION_SESSION_PARTS_H
#define WL_SESSION_SESSION_PARTS_H

#include "derive/derivations.h"
#include "index/kept.h"
#include "session/document/plan.h"
#include "session/facts/facts_trace.h"
#include "session/job/job_trace.h"
#include "session/open/session.h"

struct wl_session {
	char *path;
	struct wl_input_opts opts; /* with the budget below */
	struct wl_index_opts index_opts;
	bool may_index;
	/* Of columns and what is derived of them, beside others that the opener counts with. */
	struct wl_budget budget;
	struct wl_stop stop; /* the flag of the opener, and the stop of the request that runs */
	bool is_cut;         /* a load was stopped: the file is opened again before the next */
	/* One of the four serves, and the others are NULL. */
	struct wl_index *index;
	struct wl_input *input;
	struct wl_job_trace *job;
	struct wl_facts_trace *facts;
	struct wl_derived_source kept; /* in the index, for the naming that the trace itself has */
	struct wl_err index_problem;   /* why an index does not serve; code WL_OK: there is none */
	struct wl_derivations derived; /* of the columns that are loaded, and as named below */
	const char *label, *note;      /* borrowed; NULL for none */
	const char *const *files;      /* of a job that was given by its files; borrowed */
	size_t n_files;
	const char *directory;              /* that stands for them; NULL for none; borrowed */
	char *marker;                       /* owned, as in the last request */
	struct wl_conventions *conventions; /* owned; NULL: by the names in the trace */
	char *conventions_name;             /* owned; NULL where there are none */
	const struct wl_json *conventions_doc;
	bool is_held;    /* nothing may move any more */
	bool has_clocks; /* of a job: they were fitted, or cannot be */
	bool keeps_scopes;
	uint64_t generation;
};

/*
 * A load or a run begins, with the stop of the request; it ends with r, or with what says that it
 * was stopped, whatever it failed with.
 */
void wl_session_begin(struct wl_session *session, const struct wl_request *request);
int wl_session_end(struct wl_session *session, int r, struct wl_err *reterr) WL_MUST_CHECK;

/*
 * Open n files of a directory, by their names, as a job whose clocks the caller knows: set them
 * before the first load.
 */
int wl_session_open_some(const char *dir, const char *const *name, size_t n,
			 const struct wl_input_opts *opts, struct wl_session **ret_session,
			 struct wl_err *reterr) WL_MUST_CHECK;

/* wl_session_load() within a load or a run. */
int wl_session_load_asked(struct wl_session *session, const struct wl_request *request,
			  struct wl_err *reterr) WL_MUST_CHECK;

/* The index cannot serve: the file does. Derivations and answers from it become void. */
int wl_session_leave_index(struct wl_session *session, struct wl_err *reterr) WL_MUST_CHECK;

#endif
