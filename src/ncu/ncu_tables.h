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

/* Initialise the table and hide the columns that rows per launch, or per kernel, do not have. Fill
 * it next. */
void wl_ncu_table_init(enum wl_ncu_section section, bool by_launch, struct wl_arena *arena,
		       struct wl_table *ret);

/*
 * Fill such a table and add the notes it needs. WL_E_NODATA if the file has no launches;
 * WL_E_NOMEM. Texts are borrowed from the file.
 */
int wl_ncu_table_fill(const struct wl_ncu *ncu, enum wl_ncu_section section, bool by_launch,
		      struct wl_table *table, struct wl_err *reterr) WL_MUST_CHECK;

#endif
