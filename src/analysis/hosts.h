/* SPDX-License-Identifier: MIT */
/*
 * hosts.h - the host column, for tables in which a pid alone does not distinguish rows.
 *
 * A trace of several hosts may have the same pid twice. A table with a host column shows it if two
 * of its rows have equal pids on different machines, and hides it otherwise.
 */
#ifndef WL_ANALYSIS_HOSTS_H
#define WL_ANALYSIS_HOSTS_H

#include "analysis/analysis.h"

/* The host column, for cols[]. */
#define WL_COL_HOST                                                                                \
	{                                                                                          \
		"host", "Host", WL_T_STR, WL_KEY,                                                  \
			"Host name, if processes of different hosts share a pid."                  \
	}

/* Hide the column unless two of the processes shown share a pid; false if memory runs out. */
bool wl_hosts_hide(const struct wl_run *run, const bool *shown, struct wl_table *out,
		   size_t col) WL_MUST_CHECK;

/* Put the cell of a process: the host's name, or its number if the trace does not name it. */
void wl_hosts_put(struct wl_table *out, size_t col, const struct wl_trace *trace,
		  const struct wl_process *process);

#endif
