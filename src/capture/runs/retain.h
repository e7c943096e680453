/* SPDX-License-Identifier: MIT */
/*
 * retain.h - keeps the newest runs whole and compresses the large files of older ones.
 *
 * A file becomes PATH.gz, the manifest gets the sum of that beside the one of the file, and then
 * the file goes: at any moment one of the two is whole and the manifest knows it. Runs cut off in
 * between are finished by the next call. Nothing that the manifest does not name is touched, nor
 * a file that has changed since, nor a directory without a valid manifest.
 */
#ifndef WL_CAPTURE_RUNS_RETAIN_H
#define WL_CAPTURE_RUNS_RETAIN_H

#include <stdatomic.h>

#include "capture/runs/run_dir.h"

enum { WL_RETAIN_LARGE = 64 << 10 }; /* bytes of a file from which on it is compressed */

struct wl_retained {
	size_t n_runs;    /* whose files were compressed now */
	size_t n_files;   /* that were compressed now */
	int64_t saved;    /* bytes */
	size_t n_changed; /* files that are not what their manifest says, and stay as they are */
};

/* keep: how many runs stay whole, 0 or more. WL_E_IO, WL_E_OUTPUT, WL_E_NOMEM, WL_E_CANCELED. */
int wl_runs_retain(const char *dir, size_t keep, const atomic_int *cancel, struct wl_arena *arena,
		   struct wl_retained *ret, struct wl_err *reterr) WL_MUST_CHECK;

#endif
