/* SPDX-License-Identifier: MIT */
/* raw_csv.h - reads the raw page of Nsight Compute as CSV: names, units, a row per launch. */
#ifndef WL_NCU_RAW_CSV_H
#define WL_NCU_RAW_CSV_H

#include "base/attr.h"
#include "base/err.h"
#include "base/memory/arena.h"
#include "ncu/ncu.h"

/* Most columns that are read; ncu 2025 writes 2,462 with all sections. */
enum { WL_RAW_CSV_COLUMNS = 65536 };

/*
 * Read bytes into *ret, which is empty. Lines that begin with "==" are messages of ncu
 * and are skipped. Columns are found by name, so that their order does not matter. WL_E_FORMAT
 * when there is no column "Kernel Name", when it is another page of ncu, or when a row has another
 * number of cells than the first.
 */
int wl_raw_csv_parse(const char *name, const unsigned char *bytes, size_t n, struct wl_arena *arena,
		     struct wl_ncu *ret, struct wl_err *reterr) WL_MUST_CHECK;

#endif
