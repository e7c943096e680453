/* SPDX-License-Identifier: MIT */
/* ncu_tables.h - the tables of the command ncu. */
#ifndef WL_NCU_NCU_TABLES_H
#define WL_NCU_NCU_TABLES_H

#include "base/err.h"
#include "ncu/ncu.h"
#include "table/table.h"

enum wl_ncu_section { WL_NCU_KERNELS, WL_NCU_METRICS, WL_NCU_N_SECTIONS };

/* By enum wl_ncu_section; name == NULL ends. */
extern const struct wl_table_info wl_ncu_tables[WL_NCU_N_SECTIONS + 1];

/* Hide what a row per launch, or per kernel, does not have; then fill. */
void wl_ncu_table_init(enum wl_ncu_section section, bool by_launch, struct wl_arena *arena,
		       struct wl_table *ret);

/*
 * Fill a table that was made so, with the notes that it needs. WL_E_NODATA for a file without
 * launches, WL_E_NOMEM. Texts are borrowed from the file.
 */
int wl_ncu_table_fill(const struct wl_ncu *ncu, enum wl_ncu_section section, bool by_launch,
		      struct wl_table *table, struct wl_err *reterr) WL_MUST_CHECK;

#endif
