/* SPDX-License-Identifier: MIT */
/* run_dir.h - directories of runs: a new one, those there are, and their removal. */
#ifndef WL_CAPTURE_RUNS_RUN_DIR_H
#define WL_CAPTURE_RUNS_RUN_DIR_H

#include "base/file/file.h"
#include "capture/runs/manifest.h"

/* Where runs are if no one says so. */
#define WL_RUNS_DIR "warplens-runs"

/*
 * A name for a run: UTC, the program, six random digits, as in 20261117-093001-train-3f9c1a. The
 * program is the script or module of an interpreter where it is recognized. Writes to ret.
 */
void wl_run_id_make(const char *const *argv, int64_t utc_ms, char ret[WL_RUN_ID_CAP]);

/*
 * Make parent/ID with nsys/, ncu/ and report/ in it. The parent is made if it is not there. Writes
 * the id and the path. WL_E_OUTPUT.
 */
int wl_run_dir_make(const char *parent, const char *const *argv, int64_t utc_ms,
		    char ret_id[WL_RUN_ID_CAP], char ret_path[WL_PATH_CAP],
		    struct wl_err *reterr) WL_MUST_CHECK;

/* A run that was found. */
struct wl_run_found {
	const char *path;
	struct wl_manifest manifest;
};

struct wl_runs_found {
	const struct wl_run_found *run; /* newest first */
	size_t n;
	const char *const *refused; /* why directories with a manifest are no runs; a line each */
	size_t n_refused;
};

/*
 * The runs in a directory. One without a manifest is passed over, a bad manifest is reported. Links
 * are not followed. WL_E_IO when the directory cannot be read, and for more than 4096 entries.
 */
int wl_runs_find(const char *dir, struct wl_arena *arena, struct wl_runs_found *ret,
		 struct wl_err *reterr) WL_MUST_CHECK;

/*
 * One run, by its whole id in dir, or by a path if the text has a slash. WL_E_USAGE when there is
 * none, with the next id that is spelled like it; WL_E_FORMAT.
 */
int wl_run_find(const char *dir, const char *text, struct wl_arena *arena, struct wl_run_found *ret,
		struct wl_err *reterr) WL_MUST_CHECK;

/*
 * Remove a run with all it holds: only a directory with a valid manifest; links in it are
 * removed, never followed. The manifest goes last, so that a removal that was cut off can be
 * repeated.
 */
int wl_run_remove(const struct wl_run_found *run, struct wl_err *reterr) WL_MUST_CHECK;

#endif
