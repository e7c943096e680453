/* SPDX-License-Identifier: MIT */
/*
 * sweep.h - the runs of --sweep lr=1,2 --sweep mode=a,b: every pair of values once.
 *
 * Pure. The first parameter varies slowest. "{lr}" in any word of the program is replaced by the
 * value; a parameter that no word has in braces is added at the end as --lr=1.
 */
#ifndef WL_CAPTURE_RUNS_SWEEP_H
#define WL_CAPTURE_RUNS_SWEEP_H

#include "base/attr.h"
#include "base/err.h"
#include "base/memory/arena.h"
#include "capture/runs/manifest.h"

enum { WL_SWEEP_PARAMETERS = 8, WL_SWEEP_VALUES = 64, WL_SWEEP_RUNS = 256 };

struct wl_sweep_run {
	const char *const *argv;        /* NULL ends */
	const struct wl_run_pair *pair; /* a value of each parameter, in order */
	size_t n_pairs;
};

struct wl_sweep {
	const struct wl_sweep_run *run;
	size_t n_runs; /* one without parameters */
};

/*
 * Expand. Texts are NAME=VALUE,VALUE with names of letters, digits, "_", "-" and "."; a comma in a
 * value is "\,". WL_E_USAGE for anything else, a name or value given twice, and more runs than
 * WL_SWEEP_RUNS.
 */
int wl_sweep_make(const char *const *text, size_t n, const char *const *argv,
		  struct wl_arena *arena, struct wl_sweep *ret,
		  struct wl_err *reterr) WL_MUST_CHECK;

#endif
