/* SPDX-License-Identifier: MIT */
/* facts_path_traces.h - which traces of a job of facts a path has open. */
#ifndef WL_SESSION_FACTS_PATH_TRACES_H
#define WL_SESSION_FACTS_PATH_TRACES_H

#include "base/file/file.h"
#include "session/document/request.h"
#include "session/facts/facts_ops.h"
#include "session/facts/facts_trace.h"

struct wl_input_opts;

/* What is asked; arguments are those of the verb path. */
struct wl_facts_path {
	const struct wl_facts_trace *facts; /* of several traces */
	const char *file;                 /* the first, where they were given as files; else NULL */
	const struct wl_input_opts *opts; /* how traces are opened */
	const struct wl_request *request;
	const union wl_arg *arg;
	const struct wl_scope *scope; /* of the job: what is shown of the path */
};

struct wl_facts_following {
	const struct wl_facts_path *asked;
	const struct wl_facts *f;
	const struct wl_facts_job *job;
	const struct wl_analysis *verb;
	struct wl_arena *arena; /* owns the answer */
	struct wl_table *ret;
	char dir[WL_PATH_CAP];
	const char **name; /* by file of the job: that of its trace */
	bool *is_open;     /* by file */
	size_t n_open;
	struct wl_facts_ops ops;
	uint32_t missing; /* the file that the walk needs next; WL_NONE: none */
};

/* The file of the job that an open trace of this path is; WL_NONE. */
uint32_t wl_facts_path_file(const struct wl_facts_following *w, const char *path);

/* The file of a rank. */
static inline uint32_t wl_facts_path_file_of(const struct wl_facts_following *w, uint32_t rank)
{
	return w->job->trace.processes[rank].file;
}

/* Errors: WL_E_NOMEM, and WL_E_USAGE with why facts do not suffice. */
int wl_facts_path_no_memory(struct wl_err *reterr);
int wl_facts_path_ask_traces(const struct wl_facts_following *w, const char *why,
			     struct wl_err *reterr);

/*
 * Find the names of all traces, then the directory of one: WL_E_USAGE where they do not name SQLite
 * files, one each, and where it is neither where the request says nor beside the facts.
 */
int wl_facts_path_find_names(struct wl_facts_following *w, struct wl_arena *scratch,
			     struct wl_err *reterr) WL_MUST_CHECK;
int wl_facts_path_find_dir(struct wl_facts_following *w, const char *name,
			   struct wl_err *reterr) WL_MUST_CHECK;

/* Mark a file as one to open; those where the path begins and ends, of which it returns the last.
 */
void wl_facts_path_open(struct wl_facts_following *w, uint32_t file);
uint32_t wl_facts_path_open_ends(struct wl_facts_following *w);

#endif
