/* SPDX-License-Identifier: MIT */
/* capture_look.h - what a capture asks of a trace and of the machine. */
#ifndef WL_CLI_COMMANDS_CAPTURE_LOOK_H
#define WL_CLI_COMMANDS_CAPTURE_LOOK_H

#include "capture/run/collect.h"
#include "cli/line/opt.h"

/* Count the rows of an export. For wl_capture_job.look; ctx is not used. */
int wl_capture_look(void *ctx, const char *database, struct wl_report_facts *ret,
		    struct wl_err *reterr) WL_MUST_CHECK;

/* Print the summary of a database, or of a directory of them. Returns an exit status. */
int wl_capture_open(const struct wl_invocation *inv, const char *path);

/*
 * The median step of a database, or of a directory of them, as the note of `iters` has it; -1: it
 * has none. Signals are caught meanwhile and released.
 */
int64_t wl_capture_step(const struct wl_invocation *inv, const char *path);

/* Write the report of a database, or of a directory of them, to a directory. An exit status. */
int wl_capture_report(const struct wl_invocation *inv, const char *path, const char *dir);

/* WL_E_USAGE when there is no such program: with a slash, or in PATH. */
int wl_capture_find_program(const char *name, struct wl_err *reterr) WL_MUST_CHECK;

#endif
