/* SPDX-License-Identifier: MIT */
/* nsys.h - converts an Nsight Systems report to SQLite by running the user's own nsys. */
#ifndef WL_CAPTURE_NSYS_H
#define WL_CAPTURE_NSYS_H

#include <stdatomic.h>
#include <stdint.h>

#include "base/attr.h"
#include "base/err.h"
#include "base/file/file.h"
#include "capture/report.h"

/* Which report, with which nsys, to where. Zeroed fields mean: no limit, no flag, no ticks. */
struct wl_nsys_export {
	const char *nsys;         /* program, looked up in PATH without a slash; NULL: "nsys" */
	const char *report;       /* path of the .nsys-rep */
	const char *dir;          /* existing directory for the result, a wl_tmpdir as a rule */
	int64_t limit_ns;         /* 0: none */
	const atomic_int *cancel; /* see wl_proc */
	void (*tick)(void *ctx, int64_t elapsed_ns); /* see wl_proc */
	void *ctx;
};

/* A command line that is ready to run; argv points into the plan and into its export. */
struct wl_nsys_plan {
	const char *argv[12]; /* ends with NULL */
	char in[WL_PATH_CAP];
	char out[WL_PATH_CAP]; /* dir/export.sqlite */
};

/*
 * Write the command line of an export; runs nothing. Paths that begin with a
 * dash get "./" in front, since nsys knows no "--". The plan must not be copied
 * or outlive the strings of the export. WL_E_IO when a path is too long.
 */
int wl_nsys_plan(const struct wl_nsys_export *e, struct wl_nsys_plan *ret,
		 struct wl_err *reterr) WL_MUST_CHECK;

/*
 * Ask nsys for its version, "2023.4.4.54". Waits 10 s at most. WL_E_IO when
 * there is no such program, it fails or its answer has no version;
 * WL_E_TIMEOUT, WL_E_CANCELED.
 */
int wl_nsys_version(const char *nsys, const atomic_int *cancel,
		    char ret_version[WL_REPORT_VERSION_CAP], struct wl_err *reterr) WL_MUST_CHECK;

/*
 * Compare versions number by number: negative, zero or positive as a is older
 * than, equal to or newer than b. Missing numbers are zero, so "" is the oldest.
 */
int wl_nsys_version_cmp(const char *a, const char *b);

/*
 * Export e->report, which report describes (kind NSYS), and write the path of
 * the SQLite file to ret_path. The file is there, nsys said that it succeeded
 * and the bytes begin as they should; since reports have no checksum, nsys
 * exports some damaged ones with rows missing, which cannot be detected.
 *
 * Blocks until nsys ends; it is stopped with its children when the limit is
 * reached or the flag is set. The result, whole or not, lies in e->dir; its
 * owner removes it. The message is one line, names the report and says what to
 * do:
 *   WL_E_IO        no nsys, or it cannot be started, crashes or writes nothing
 *   WL_E_FORMAT    the report is newer than nsys (both versions are named), or
 *                  nsys rejects it (its own words are quoted, control
 *                  characters replaced)
 *   WL_E_OUTPUT    no room left in e->dir
 *   WL_E_TIMEOUT, WL_E_CANCELED
 */
int wl_nsys_export(const struct wl_nsys_export *e, const struct wl_report *report,
		   char ret_path[WL_PATH_CAP], struct wl_err *reterr) WL_MUST_CHECK;

#endif
