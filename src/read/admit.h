/* SPDX-License-Identifier: MIT */
/*
 * admit.h - refuses databases that are no exports or cannot be read without guessing.
 *
 * Other programs write databases with tables of the same names. What they leave out must not
 * become an answer: rows without a process would belong to process 0, and names that are not
 * numbers of StringIds would all be the same one. Such a file is refused; one that tells processes
 * by their pid alone is read that way.
 */
#ifndef WL_READ_ADMIT_H
#define WL_READ_ADMIT_H

#include "read/bind.h"
#include "read/probe.h"

/*
 * Whether some table has pids in place of globalPid or globalTid: then keys of all rows are pids.
 * table has for each family the one that fills it, or NULL; one without rows counts as absent.
 */
bool wl_admit_by_pid(const struct wl_probe *probe,
		     const struct wl_family_table *const table[WL_N_FAMILIES]);

/* WL_E_FORMAT, with what is missing, when answers would be guesses. */
int wl_admit(const struct wl_probe *probe, const struct wl_family_table *const table[WL_N_FAMILIES],
	     struct wl_err *reterr) WL_MUST_CHECK;

#endif
