/* SPDX-License-Identifier: MIT */
/*
 * job_trace.h - the files of a job as one trace.
 *
 * Order of calls as of read/input.h: open; load, as often as new columns are wanted; close. Files
 * are read one after the other, small ones several at once, each into a trace of its own whose
 * columns are released while they are appended (model/merge.h). So memory is that of one
 * trace of all rows and little more, and no file stays open.
 */
#ifndef WL_SESSION_JOB_TRACE_H
#define WL_SESSION_JOB_TRACE_H

#include "index/index.h"
#include "read/input.h"

struct wl_job_trace;

/*
 * Open the job in a directory. index is NULL where indexes are not wanted; its texts are borrowed.
 * WL_E_USAGE when the files are of several jobs.
 */
int wl_job_trace_open(const char *dir, const struct wl_input_opts *opts,
		      const struct wl_index_opts *index, struct wl_job_trace **ret_job,
		      struct wl_err *reterr) WL_MUST_CHECK;
/* The same of n of its files, by their names. */
int wl_job_trace_open_some(const char *dir, const char *const *name, size_t n,
			   const struct wl_input_opts *opts, struct wl_job_trace **ret_job,
			   struct wl_err *reterr) WL_MUST_CHECK;
void wl_job_trace_close(struct wl_job_trace *job); /* accepts NULL */

const struct wl_trace *wl_job_trace_get(const struct wl_job_trace *job);

/*
 * WL_E_USAGE with the reason when the files do not prove to be one job: they name one, or they
 * overlap in time and ran the same collectives.
 */
int wl_job_trace_prove(struct wl_job_trace *job, struct wl_err *reterr) WL_MUST_CHECK;

/*
 * Correct the clocks of files: offset and drift of each, by file (model/merge.h). Times in the
 * trace move; later loads use them, too.
 */
int wl_job_trace_set_clocks(struct wl_job_trace *job, const struct wl_trace_file *clock,
			    struct wl_err *reterr) WL_MUST_CHECK;

/* As wl_input_load(). */
int wl_job_trace_load(struct wl_job_trace *job, const struct wl_columns *want,
		      struct wl_err *reterr) WL_MUST_CHECK;

#endif
