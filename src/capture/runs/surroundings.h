/* SPDX-License-Identifier: MIT */
/* surroundings.h - what a manifest says about machine, directory, inputs and outputs. */
#ifndef WL_CAPTURE_RUNS_SURROUNDINGS_H
#define WL_CAPTURE_RUNS_SURROUNDINGS_H

#include <stdatomic.h>

#include "capture/runs/manifest.h"

/* Where to look. Zeroed fields are the usual places; other ones are for tests. */
struct wl_looking {
	const char *const *env;       /* environ, NULL ends; NULL: none is kept */
	const char *directory;        /* in which the program runs; NULL: "." */
	const char *proc;             /* "/proc" */
	const char *git, *nvidia_smi; /* programs, by PATH */
	const atomic_int *cancel;     /* see wl_proc */
};

/*
 * Fill in directory, env, host, system, gpu, driver, revision and dirty. A member not found
 * out stays unknown; each program has 10 s. WL_E_NOMEM, WL_E_CANCELED.
 */
int wl_manifest_look(struct wl_manifest *m, const struct wl_looking *where, struct wl_arena *arena,
		     struct wl_err *reterr) WL_MUST_CHECK;

/*
 * Fill in the inputs: regular files that arguments name, whole (data.json) or behind a "="
 * (--config=a.yaml). The first 64; those above 256 MiB without a sum. m->argv must be set, and
 * m->directory is where names begin.
 */
int wl_manifest_hash_inputs(struct wl_manifest *m, const atomic_int *cancel, struct wl_arena *arena,
			    struct wl_err *reterr) WL_MUST_CHECK;

/*
 * Fill in the outputs: the regular files below nsys/, ncu/ and report/ of the run, in the order of
 * their paths. Links are passed over. WL_E_IO, WL_E_NOMEM, WL_E_CANCELED.
 */
int wl_manifest_hash_outputs(struct wl_manifest *m, const char *dir, const atomic_int *cancel,
			     struct wl_arena *arena, struct wl_err *reterr) WL_MUST_CHECK;

/* The same for report/ alone, which is written last; the other outputs stay as they are listed. */
int wl_manifest_hash_report(struct wl_manifest *m, const char *dir, struct wl_arena *arena,
			    struct wl_err *reterr) WL_MUST_CHECK;

#endif
