/* SPDX-License-Identifier: MIT */
/* raw_csv.h - reads Nsight Compute's raw page as CSV: names, units, one row per launch. */
#ifndef WL_NCU_RAW_CSV_H
#define WL_NCU_RAW_CSV_H

#include "base/attr.h"
#include "base/err.h"
#include "base/memory/arena.h"
#include "ncu/ncu.h"

/* The most columns that are accepted; ncu 2025 writes 2,462 with all sections. */
enum { WL_RAW_CSV_COLUMNS = 65536 };

/*
 * Read bytes into *ret, which must be empty. Lines that begin with "==" are messages of ncu and are
 * skipped. Columns are found by name, in any order. WL_E_FORMAT if there is no column "Kernel
 * Name", if it is another page of ncu, or if a row has a different number of cells than the first.
 */
int wl_raw_csv_parse(const char *name, const unsigned char *bytes, size_t n, struct wl_arena *arena,
		     struct wl_ncu *ret, struct wl_err *reterr) WL_MUST_CHECK;

#endif
