/* SPDX-License-Identifier: MIT */
/* capture_keep.h - the directory of a captured run and its manifest. */
#ifndef WL_CLI_COMMANDS_CAPTURE_KEEP_H
#define WL_CLI_COMMANDS_CAPTURE_KEEP_H

#include "capture/run/run.h"
#include "capture/runs/run_dir.h"

struct wl_kept_run {
	char id[WL_RUN_ID_CAP];
	char path[WL_PATH_CAP]; /* of the run */
	char dir[WL_PATH_CAP];  /* of its reports: path/nsys */
	struct wl_manifest manifest;
};

/* What is to be run. Borrowed by the run. */
struct wl_kept_wish {
	const char *parent;         /* directory of runs */
	const char *const *argv;    /* the program, NULL ends */
	const char *const *allowed; /* secrets that may pass, NULL ends */
	const struct wl_run_pair *sweep;
	size_t n_sweep;
};

/*
 * Before the run: refuse secrets, make the directories, and note program, machine and inputs as
 * they are now.
 */
int wl_kept_run_begin(struct wl_kept_run *run, const struct wl_kept_wish *wish,
		      struct wl_arena *arena, struct wl_err *reterr) WL_MUST_CHECK;

/* What a run came to. Borrowed. */
struct wl_kept_end {
	const char *nsys; /* version */
	const struct wl_captured *done;
	const char *failure; /* NULL: it is good */
	const char *ncu;     /* version; NULL: not known */
	int64_t ncu_ns;      /* how long it measured; -1: it did not */
	int64_t step_ns;     /* median step of the trace; -1: none is known */
};

/* Afterwards: sum the files and write the manifest. */
int wl_kept_run_end(struct wl_kept_run *run, const struct wl_kept_end *end, struct wl_arena *arena,
		    struct wl_err *reterr) WL_MUST_CHECK;

/* After a run that was kept has got its report: list that as well. */
int wl_kept_run_report(struct wl_kept_run *run, struct wl_arena *arena,
		       struct wl_err *reterr) WL_MUST_CHECK;

#endif
