/* SPDX-License-Identifier: MIT */
/* open.h - opens a session from a trace file of any kind. */
#ifndef WL_CLI_OPEN_H
#define WL_CLI_OPEN_H

#include "analysis/args.h"
#include "base/file/file.h"
#include "cli/costs.h"
#include "cli/docs.h"
#include "cli/line/opt.h"
#include "cli/progress.h"
#include "session/open/session.h"

/* A trace that is open, and what must be cleaned up when it is not needed any more. */
struct wl_opened {
	struct wl_session *session;
	struct wl_tmpdir export_dir; /* holds the export of a report; empty path if none */
	char database[WL_PATH_CAP];  /* the trace, or that export */
	char label[256];             /* of a job given by its files; else empty */
	char note[256];              /* that files given without --job are one; else empty */
	struct wl_progress progress;
	bool index_noted; /* it was said that the index is not used */
};

/* Parse the own options of a command, as wl_args_parse() does. Release also after a failure. */
int wl_command_args(struct wl_args *args, const struct wl_invocation *inv,
		    struct wl_json *const *docs, struct wl_err *reterr) WL_MUST_CHECK;

/* As many threads as -j says, or as there are CPUs. Free it; NULL, without memory, is one. */
struct wl_pool *wl_pool_option(const struct wl_invocation *inv) WL_MUST_CHECK;

/* Where the command line, or the environment, says that indexes are. */
struct wl_index_opts wl_index_options(const struct wl_invocation *inv);

/* The command line wants indexes used: who names a reader wants it to read. */
bool wl_index_is_wanted(const struct wl_invocation *inv);

/*
 * Find the database of a trace: the file itself, or of a report its export, which is made
 * now and lives until drop_file. Signals must be caught, and cancel be their flag. Release
 * also after a failure.
 */
int wl_opened_export(struct wl_opened *o, const char *path, const struct wl_invocation *inv,
		     const atomic_int *cancel, struct wl_err *reterr) WL_MUST_CHECK;

/* What is asked, as far as the options say so that all verbs have: selection, names, threads. */
struct wl_request wl_opened_request(const struct wl_invocation *inv, const struct wl_docs *docs,
				    struct wl_pool *pool);

/*
 * Check what a command that shows more than tables asks, before the trace is looked at.
 * WL_E_USAGE where no trace could be asked so.
 */
int wl_opened_check(const struct wl_invocation *inv, const struct wl_request *request,
		    struct wl_err *reterr) WL_MUST_CHECK;

/* With what traces are opened. Borrowed. */
struct wl_opening {
	const struct wl_invocation *inv;
	struct wl_pool *pool;
	struct wl_budget *budget;
	struct wl_costs *costs; /* of opening and loading */
};

/*
 * Open, load what the request needs, and let go of the file, but for WL_E_NOJOB. Signals are caught
 * meanwhile, so that an export does not stay behind. Release also after a failure.
 */
int wl_opened_load(struct wl_opened *o, const char *path, const struct wl_opening *how,
		   const struct wl_request *request, struct wl_err *reterr) WL_MUST_CHECK;

/*
 * Open, and keep the file for other readers; the session loads data when a request needs it.
 * Signals must be caught, and cancel be their flag, which ends loads as well. Release also after a
 * failure.
 */
int wl_opened_open(struct wl_opened *o, const char *path, const struct wl_opening *how,
		   const atomic_int *cancel, struct wl_err *reterr) WL_MUST_CHECK;

/*
 * After wl_opened_export(), of files that may be one job: open and close them to see whether they
 * are. WL_E_NOJOB if not.
 */
int wl_opened_prove(struct wl_opened *o, const struct wl_opening *how, const atomic_int *cancel,
		    struct wl_err *reterr) WL_MUST_CHECK;

/* Of files that are no job: take the directory of their exports out of it, for the caller. */
void wl_opened_keep(struct wl_opened *o, struct wl_tmpdir *ret_exports);

/*
 * Do what the command line asks, of files that may be one job as one first; WL_E_NOJOB makes them
 * operands of their own, and it is done again. Exports that it keeps live until then.
 */
typedef int wl_either_fn(const struct wl_invocation *inv, void *ctx, struct wl_tmpdir *ret_exports,
			 struct wl_err *reterr);
int wl_opened_either(const struct wl_invocation *inv, wl_either_fn *fn, void *ctx,
		     struct wl_err *reterr) WL_MUST_CHECK;

/* Say on standard error, once, why an index that is there is not used. */
void wl_opened_note_index(struct wl_opened *o);

/* Say on standard error that files are one job, where no table has a note of it. */
void wl_opened_tell_job(struct wl_opened *o, const struct wl_invocation *inv);

/* The file is read: an export that is not to be kept goes. */
void wl_opened_drop_file(struct wl_opened *o);
void wl_opened_release(struct wl_opened *o);

#endif
