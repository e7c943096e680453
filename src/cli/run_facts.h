/* SPDX-License-Identifier: MIT */
/* run_facts.h - a manifest as a list of facts, which two manifests can be compared by. */
#ifndef WL_CLI_RUN_FACTS_H
#define WL_CLI_RUN_FACTS_H

#include "base/memory/arena.h"
#include "capture/runs/manifest.h"

/* One thing that a manifest says. */
struct wl_run_fact {
	const char *what; /* "argument", "environment", "time" */
	const char *name; /* number of an argument, name of a variable or a stage, path */
	const char *value;
	int64_t ns; /* of a time; -1 */
};

/*
 * All of them, in a fixed order: program, sweep, environment, machine, versions, revision, exit,
 * inputs, times. Owned by the arena; NULL without memory.
 */
const struct wl_run_fact *wl_run_facts(const struct wl_manifest *m, struct wl_arena *arena,
				       size_t *ret_n) WL_MUST_CHECK;

#endif
