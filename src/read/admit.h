/* SPDX-License-Identifier: MIT */
/*
 * admit.h - refuses databases that are not exports or could only be read by guessing.
 *
 * Other programs write databases with tables of the same names. What they leave out must not lead
 * to wrong answers: rows without a process would belong to process 0, and names that are not
 * numbers of StringIds would all be the same. Such a file is refused. A file that identifies
 * processes by pid alone is read that way.
 */
#ifndef WL_READ_ADMIT_H
#define WL_READ_ADMIT_H

#include "read/bind.h"
#include "read/probe.h"

/*
 * Whether some table has pids instead of globalPid or globalTid: then the keys of all rows are
 * pids. table holds for each family the table that fills it, or NULL; a table without rows counts
 * as absent.
 */
bool wl_admit_by_pid(const struct wl_probe *probe,
		     const struct wl_family_table *const table[WL_N_FAMILIES]);

/* WL_E_FORMAT, naming what is missing, if answers would be guesses. */
int wl_admit(const struct wl_probe *probe, const struct wl_family_table *const table[WL_N_FAMILIES],
	     struct wl_err *reterr) WL_MUST_CHECK;

#endif
