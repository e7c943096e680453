/* SPDX-License-Identifier: MIT */
/* capture_sweep.h - the runs of capture --sweep, and the table at their end. */
#ifndef WL_CLI_COMMANDS_CAPTURE_SWEEP_H
#define WL_CLI_COMMANDS_CAPTURE_SWEEP_H

#include "capture/runs/sweep.h"
#include "cli/line/opt.h"

/* The values of an option that may be given several times, NULL ends; NULL without memory. */
const char *const *wl_many_of(const struct wl_invocation *inv, size_t param, struct wl_arena *arena,
			      size_t *ret_n) WL_MUST_CHECK;

/*
 * Refuse a value that makes a secret of a word of the program, even one that may pass: tables and
 * manifests show the values of a sweep. WL_E_USAGE.
 */
int wl_sweep_refuse_secrets(const struct wl_sweep *sweep, const char *const *program,
			    struct wl_arena *arena, struct wl_err *reterr) WL_MUST_CHECK;

/* "run 2 of 4: lr=1 mode=b", cut where it does not fit; returns buf. */
const char *wl_sweep_title(const struct wl_sweep *sweep, size_t i, char *buf, size_t size);

/* A row for each run whose directory is given: parameters, exit status, times. */
int wl_sweep_print(const struct wl_invocation *inv, const char *const *path, size_t n,
		   struct wl_arena *arena, struct wl_err *reterr) WL_MUST_CHECK;

#endif
