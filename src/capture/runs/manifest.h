/* SPDX-License-Identifier: MIT */
/*
 * manifest.h - what a run was: RUN_ID/manifest.json beside nsys/, ncu/ and report/.
 *
 * A manifest is written once, at the end of a run, and again when files of the run are compressed.
 * A directory without a valid one is no run: it is neither listed, compressed nor removed. A file
 * that is read may come from anywhere; what passes here names no file outside of its run.
 */
#ifndef WL_CAPTURE_RUNS_MANIFEST_H
#define WL_CAPTURE_RUNS_MANIFEST_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "base/attr.h"
#include "base/err.h"
#include "base/file/sha256.h"
#include "base/memory/arena.h"

enum {
	WL_RUN_ID_CAP = 96,     /* bytes of an id with its NUL */
	WL_RUN_MAX_ITEMS = 4096 /* of each list */
};

#define WL_MANIFEST_NAME "manifest.json"

struct wl_run_pair {
	const char *name, *value;
};

struct wl_run_file {
	/* Of an input as the command line names it; of an output below the directory of the run. */
	const char *path;
	int64_t bytes;                 /* of the file as it was, not compressed */
	char sha256[WL_SHA256_HEX];    /* of that; "" where it was too large to be read */
	int64_t gz_bytes;              /* of PATH.gz */
	char gz_sha256[WL_SHA256_HEX]; /* "" where the file was not compressed */
};

struct wl_run_stage {
	const char *name; /* "record", "export", "check", "ncu" */
	int64_t wall_ns;
};

/* Whether tracked files differ from the revision. */
enum wl_run_dirty { WL_RUN_DIRTY_UNKNOWN, WL_RUN_CLEAN, WL_RUN_DIRTY };

/* Texts are borrowed; NULL is not known. Times of -1 are not known. Lists may be empty. */
struct wl_manifest {
	const char *id;          /* the name of the directory */
	const char *const *argv; /* the program as given, without the profiler; at least one */
	size_t n_argv;
	const char *directory;         /* in which it ran */
	const struct wl_run_pair *env; /* allow-listed variables, by name */
	size_t n_env;
	const char *host, *system; /* name of the machine; "Linux 6.1.0 x86_64" */
	const char *const *gpu;    /* "NVIDIA H100 80GB HBM3, 81559 MiB" each */
	size_t n_gpus;
	const char *driver;
	const char *warplens, *nsys, *ncu; /* versions */
	const char *revision;              /* of git */
	enum wl_run_dirty dirty;
	const struct wl_run_file *input;
	size_t n_inputs;
	const struct wl_run_file *output; /* by path */
	size_t n_outputs;
	int64_t begin_ms, end_ms;         /* since 1970 in UTC */
	int64_t wall_ns;                  /* of the program under the profiler */
	int64_t bare_ns;                  /* of the program without it; -1: no such run */
	int64_t step_ns;                  /* median step of the trace; -1: none is known */
	const struct wl_run_stage *stage; /* in order */
	size_t n_stages;
	int exit_status;                 /* of the program; -1: not known, or a signal */
	int exit_signal;                 /* that ended it; 0: none */
	const char *failure;             /* why there is no good trace; NULL: there is one */
	const struct wl_run_pair *sweep; /* parameters of this run */
	size_t n_sweep;
	const char *const *allowed; /* secrets that the user let pass: where, never what */
	size_t n_allowed;
};

/* A manifest in which nothing is known: its times are -1. */
void wl_manifest_init(struct wl_manifest *m);

/* A text that may be an id: letters, digits, "._-", not a dot or dash first. */
bool wl_run_is_id(const char *text);

/* As JSON. Write errors stay in the stream. */
void wl_manifest_put(const struct wl_manifest *m, FILE *out);

/* Write dir/manifest.json, at once or not at all. WL_E_OUTPUT. */
int wl_manifest_write(const struct wl_manifest *m, const char *dir,
		      struct wl_err *reterr) WL_MUST_CHECK;

/*
 * Read n bytes, which may be hostile; id is what the manifest must say that it is of. WL_E_FORMAT
 * says what is wrong; WL_E_NOMEM.
 */
int wl_manifest_parse(const char *text, size_t n, const char *id, struct wl_arena *arena,
		      struct wl_manifest *ret, struct wl_err *reterr) WL_MUST_CHECK;

/*
 * Read the manifest of a directory, which is no link and whose name is the id. WL_E_IO if none is
 * there; WL_E_FORMAT.
 */
int wl_manifest_read(const char *dir, struct wl_arena *arena, struct wl_manifest *ret,
		     struct wl_err *reterr) WL_MUST_CHECK;

/* The directory of a run that holds what "warplens report" writes. */
#define WL_RUN_REPORT "report"

/* An output is in that directory. */
bool wl_run_is_report(const char *path);

/* Some output of the run is compressed. */
bool wl_manifest_is_compressed(const struct wl_manifest *m);

#endif
