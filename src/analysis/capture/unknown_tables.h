/* SPDX-License-Identifier: MIT */
/* unknown_tables.h - tables of the file that this version of warplens does not know. */
#ifndef WL_ANALYSIS_UNKNOWN_TABLES_H
#define WL_ANALYSIS_UNKNOWN_TABLES_H

#include "analysis/analysis.h"

/*
 * Note which tables with rows the catalogue (known/exports/schema.h) does not have: a newer nsys
 * wrote them, or another tool. False without memory. Linear in tables, of which those of the
 * trace must be loaded.
 */
bool wl_note_unknown_tables(const struct wl_run *run, struct wl_table *out) WL_MUST_CHECK;

#endif
