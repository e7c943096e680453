/* SPDX-License-Identifier: MIT */
/*
 * rows.h - the events of traces as tables of SQL: ops, launches, nvtx_ranges, matches, strings.
 *
 * Rows are made one at a time from the columns of the trace; nothing is copied beforehand. The
 * hidden columns "window", gpu and trace, in this order, narrow a table as --window, --gpu and the
 * names of traces do: ops('steady', 2), or WHERE "window" = 'steady' AND gpu = 2.
 *
 * ops has all columns of the verb ops with the same values, and a row for every operation: it
 * takes the place of the verb's own table, which lists the longest only (picks_rows of
 * analysis/analysis.h).
 */
#ifndef WL_SQL_ROWS_H
#define WL_SQL_ROWS_H

#include <sqlite3.h>

#include "sql/context.h"
#include "sql/rows/row_info.h"

enum { WL_SQL_N_ROWS = 5 };

extern const struct wl_sql_rows *const wl_sql_rows[WL_SQL_N_ROWS];

/*
 * Register a module of the same name for each. ctx must outlive the connection. A module is a table
 * by itself, and tables can be made of it.
 */
int wl_sql_add_rows(sqlite3 *db, struct wl_sql_context *ctx, struct wl_err *reterr) WL_MUST_CHECK;

#endif
