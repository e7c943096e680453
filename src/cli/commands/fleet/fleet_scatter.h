/* SPDX-License-Identifier: MIT */
/*
 * fleet_scatter.h - facts of many traces, each by a process of its own.
 *
 * Under Slurm, in a step or an array, each task takes its share of the traces: of those of its host
 * where only its host sees them. A trace that cannot
 * be read is reported and the others go on; what has facts that are newer than the trace is left as
 * it is, so that the same command finishes what was interrupted.
 */
#ifndef WL_CLI_FLEET_SCATTER_H
#define WL_CLI_FLEET_SCATTER_H

#include "cli/line/opt.h"

struct wl_fleet_scatter {
	const char *const *trace;
	size_t n;
	const char *dir;           /* that gets the facts */
	const struct wl_many *key; /* --key of facts */
	size_t n_keys;
	int64_t jobs;     /* at once; at least 1 */
	int64_t limit_ns; /* for each trace; 0: none */
	int64_t nodes;    /* of the script */
	bool is_local;    /* traces are on disks of the nodes: shared by the tasks of each host */
};

/* WL_E_OUTPUT if some trace has no facts now, after each was reported. */
int wl_fleet_scatter(const struct wl_fleet_scatter *s, struct wl_err *reterr) WL_MUST_CHECK;

/* A job script for sbatch that does the same on that many nodes, to standard output. */
int wl_fleet_scatter_script(const struct wl_fleet_scatter *s, struct wl_err *reterr) WL_MUST_CHECK;

#endif
