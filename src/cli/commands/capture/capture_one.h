/* SPDX-License-Identifier: MIT */
/* capture_one.h - one run of capture: checked, recorded, kept, opened. */
#ifndef WL_CLI_COMMANDS_CAPTURE_ONE_H
#define WL_CLI_COMMANDS_CAPTURE_ONE_H

#include "capture/nsys.h"
#include "capture/run/run.h"
#include "cli/commands/capture/capture_keep.h"
#include "cli/commands/capture/capture_params.h"
#include "cli/commands/capture/capture_sweep.h"

/* What a capture works on. */
struct wl_capturing {
	const struct wl_invocation *inv;
	const union wl_arg *arg;
	struct wl_arena *arena;
	const char *dir; /* where runs go */
	struct wl_wishes wishes;
	struct wl_capture_plan plan;
	struct wl_captured done;
	char version[WL_REPORT_VERSION_CAP]; /* of nsys */
	char ncu[WL_REPORT_VERSION_CAP];     /* of ncu; empty: not asked, or no answer */
	int64_t ncu_ns;                      /* how long ncu measured; -1: it did not */
	bool is_kept;                        /* the manifest of the run is written */
	struct wl_kept_run run;
	const char *const *allowed; /* secrets, NULL ends */
	struct wl_sweep sweep;
	const struct wl_sweep_run *now; /* the run of the sweep */
};

/* A line on standard error; ctx is not used. */
void wl_capture_say(void *ctx, const char *line);

/* Print what the run that is now would do. */
int wl_capture_print_plan(struct wl_capturing *c, struct wl_err *reterr) WL_MUST_CHECK;

/* Run what is now. Returns the exit status; whether it ran is in c->done. */
int wl_capture_one(struct wl_capturing *c);

#endif
