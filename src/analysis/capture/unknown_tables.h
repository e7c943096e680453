/* SPDX-License-Identifier: MIT */
/* unknown_tables.h - tables of the file that this version of warplens does not know. */
#ifndef WL_ANALYSIS_UNKNOWN_TABLES_H
#define WL_ANALYSIS_UNKNOWN_TABLES_H

#include "analysis/analysis.h"

/*
 * Note which tables with rows are not in the catalogue (known/exports/schema.h): a newer nsys or
 * another tool wrote them. False if memory runs out. Linear in the number of tables; the trace's
 * list of tables must be loaded.
 */
bool wl_note_unknown_tables(const struct wl_run *run, struct wl_table *out) WL_MUST_CHECK;

#endif
