/* SPDX-License-Identifier: MIT */
/* fleet_facts.h - a run from its facts files. */
#ifndef WL_CLI_FLEET_FACTS_H
#define WL_CLI_FLEET_FACTS_H

#include "facts/facts.h"

/*
 * The facts at n paths (facts/gather.h) with the tables of the run. Release them after success.
 * WL_E_NODATA where they have no rank, or do not say when they were recorded.
 */
int wl_fleet_load(const char *const *path, size_t n, struct wl_budget *budget, struct wl_facts *ret,
		  struct wl_err *reterr) WL_MUST_CHECK;

#endif
