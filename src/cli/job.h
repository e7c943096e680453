/* SPDX-License-Identifier: MIT */
/*
 * job.h - jobs of a command line: files given with --job, and directories with reports.
 *
 * A session opens a directory of databases. Other files become one: a temporary directory with
 * links to databases and the exports of reports.
 */
#ifndef WL_CLI_JOB_H
#define WL_CLI_JOB_H

#include <stdatomic.h>

#include "base/file/file.h"
#include "cli/line/opt.h"
#include "cli/progress.h"
#include "scene/scene.h"

/* The path stands for a job: a directory, or the first of the files of --job. */
bool wl_job_is_meant(const struct wl_invocation *inv, const char *path);

/* Where a job is made ready. Borrowed. */
struct wl_job_room {
	struct wl_tmpdir *dir; /* opened where one is needed; the caller closes it */
	struct wl_progress *progress;
	const atomic_int *cancel;
};

/*
 * Write the path of the directory of databases: the job's own where it has no reports that must be
 * exported first, else the temporary one.
 */
int wl_job_export(const char *path, const struct wl_invocation *inv, const struct wl_job_room *room,
		  char ret_database[WL_PATH_CAP], struct wl_err *reterr) WL_MUST_CHECK;

/*
 * Of files that did not prove to be one job: where the report among them was exported to, when
 * they were opened as one. False where it was not.
 */
bool wl_job_find_export(const struct wl_invocation *inv, const char *path,
			char ret_database[WL_PATH_CAP]);

/* The files of an operand that is a job of several, else none. */
struct wl_scene_files wl_job_files(const struct wl_invocation *inv, size_t operand);

/*
 * The directory that has the files of a job and no others of one, and so stands for them; the
 * caller's to free(), NULL for none. It is looked at before files are all that may be opened.
 */
char *wl_job_directory(const struct wl_invocation *inv) WL_MUST_CHECK;

/* "rank0.sqlite and 7 more files": how answers speak of a job given by its files. */
void wl_job_label(const struct wl_invocation *inv, char *buf, size_t size);

/*
 * WL_E_NOJOB: why files do not prove to be one job, and which ways there are to open them;
 * may_be_one: --job is one of them.
 */
int wl_job_refuse(const struct wl_err *why, bool may_be_one, struct wl_err *reterr);

#endif
