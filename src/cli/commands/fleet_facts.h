/* SPDX-License-Identifier: MIT */
/* fleet_facts.h - the facts of a run from files and directories. */
#ifndef WL_CLI_FLEET_FACTS_H
#define WL_CLI_FLEET_FACTS_H

#include "facts/facts.h"

/*
 * Merge the facts of n files, and of all facts files of directories, into one set with the tables
 * of its run. Release it after success. WL_E_NODATA where there are none.
 */
int wl_fleet_load(const char *const *path, size_t n, struct wl_budget *budget, struct wl_facts *ret,
		  struct wl_err *reterr) WL_MUST_CHECK;

#endif
