/* SPDX-License-Identifier: MIT */
/*
 * funcs.h - the SQL functions of the program: intervals, percentiles, names, steps and ranges.
 *
 * functions.def lists them. Sets of intervals are pointer values: they pass from function to
 * function inside one expression or scalar subquery, and become NULL where SQLite copies a row,
 * which a WITH clause, a view or a subquery in FROM does. A function that needs a set refuses
 * NULL, so that a lost set is an error and never a length of 0.
 */
#ifndef WL_SQL_FUNCS_H
#define WL_SQL_FUNCS_H

#include <sqlite3.h>

#include "sql/context.h"
#include "sql/funcs/functions.h"

/*
 * Register all of them on the connection. ctx must outlive it. Table functions are modules:
 * connect them before an authorizer is set. Without a source, functions that ask a trace fail.
 */
int wl_sql_add_functions(sqlite3 *db, struct wl_sql_context *ctx,
			 struct wl_err *reterr) WL_MUST_CHECK;

#endif
